// A plan for one belief by a tree search, with the controller where the tree ends.
#pragma once

#include "penumbra/bounds/mdp_value.h"
#include "penumbra/solvers/controller/candidates.h"
#include "penumbra/solvers/controller/options.h"

namespace penumbra::controller {

struct SearchPlan {
  int first = -1;                       // node of the belief; -1: the controller has the best plan
  std::vector<TrainingSet> training{};  // states of every new node, without returns
  double steps = 0;
};

// Appends the nodes of the plan to `fsc`. `node`: what the controller does at the belief.
SearchPlan search_plan(const Pomdp& model, const MdpValue& values, const RoundsOptions& options,
                       Fsc& fsc, int node, ConstRecords states, RngKey key);

}  // namespace penumbra::controller
