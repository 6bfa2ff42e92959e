// CollectBeliefs of the paper's appendix: one walk down the belief tree, by the action of highest
// upper Q and the observation of most weighted excess uncertainty, as HSVI explores.
//
// Two things are read into the printed algorithm. The list starts with b0 itself: as printed it
// holds children only, and b0 would never be backed up. And the upper values of the nodes passed
// are backed up on the way back, without which every walk would be the same.
#pragma once

#include <span>
#include <vector>

#include "penumbra/base/stop.h"
#include "penumbra/solvers/value_iteration/belief_tree.h"

namespace penumbra::value_iteration {

struct CollectOptions {
  double epsilon = 0.01;  // epsilon: the gap at b0 that is good enough
  int max_depth = 50;     // L
  // Q of every action from the upper values of its children, as HSVI has it. Otherwise actions
  // that were never taken keep their QMDP value, which is the same for all that only observe.
  bool look_ahead = false;
  // Departure from the print: observations are drawn, and actions are those of the controller's
  // best node until, with probability `leave` at each step, the walk turns to the upper bound.
  bool follow = false;
  double leave = 0.1;
  std::span<const int> actions = {};  // of the controller's nodes
  RngKey key = {};                    // of this walk
  Stop stop = {};
};

// The list B as numbers of tree nodes, b0 first. `values` of the controller's nodes; there may be
// none. Empty: it was stopped. The tree may have grown by then; the same walk again ends as if it
// had not been stopped.
std::vector<int> collect_beliefs(BeliefTree& tree, const NodeValues& values,
                                 const CollectOptions& options);

}  // namespace penumbra::value_iteration
