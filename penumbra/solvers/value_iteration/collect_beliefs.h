// CollectBeliefs of the paper's appendix: one walk down the belief tree, by the action of highest
// upper Q and the observation of most weighted excess uncertainty, as HSVI explores.
//
// Two things are read into the printed algorithm. The list starts with b0 itself: as printed it
// holds children only, and b0 would never be backed up. And the upper values of the nodes passed
// are backed up on the way back, without which every walk would be the same.
#pragma once

#include <vector>

#include "penumbra/solvers/value_iteration/belief_tree.h"

namespace penumbra::value_iteration {

struct CollectOptions {
  double epsilon = 0.01;  // epsilon: the gap at b0 that is good enough
  int max_depth = 50;     // L
};

// The list B as numbers of tree nodes, b0 first. `values` of the controller's nodes; there may be
// none.
std::vector<int> collect_beliefs(BeliefTree& tree, const NodeValues& values,
                                 const CollectOptions& options);

}  // namespace penumbra::value_iteration
