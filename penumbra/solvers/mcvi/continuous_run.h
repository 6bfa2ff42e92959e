// mcvi without clusters, for models with continuous observations. A round makes several proposals
// at once: each follows the controller to a belief, explores from there, and backs up all beliefs
// of the way in reverse order, to the start. A node for the start that beats the controller's in a
// paired comparison takes its place.
//
// Needs a likelihood and features. Nodes for a box of actions hold one of it.
#pragma once

#include "penumbra/bounds/mdp_value.h"
#include "penumbra/solvers/island_options.h"
#include "penumbra/solvers/mcvi/likelihood_backup.h"
#include "penumbra/solvers/solver.h"

namespace penumbra::mcvi {

struct ContinuousOptions {
  LikelihoodOptions backup;
  int particles = 4096;  // of the belief along a history
  int proposals = 4;
  double burst_length = 6;   // mean steps of exploration
  double accept_z = 1.0;     // standard errors that a new start must gain
  int memory_rounds = 100;   // rounds that unused nodes are kept
  int evaluations = 10'000;  // episodes of each simulated value
  int max_path = 60;         // longest history
  int action_stock = 24;     // of a box of actions: how many to begin with, without hints
  int actions = 5;           // and how many a backup tries
  double depth_bias = 0.1;   // rollouts are cut where at most this share of the range is left

  void list(OptionList& l);
};

Solution improve_continuously(const Pomdp& model, const ContinuousOptions& options,
                              const IslandOptions& islands, const MdpValue& values,
                              const Limits& limits, uint64_t seed, ThreadPool& pool,
                              const Solver::Report& report);

}  // namespace penumbra::mcvi
