// Executes a controller with a belief. A particle filter follows what happens; after every
// observation the node that the controller would go to is compared with others (the best by network
// value where there are networks, and where the last node leads after other observations), by
// rollouts on the belief's own particles, and a clearly better one takes its place. The plain
// controller remembers only its node; this costs a planner's step for every action.
#pragma once

#include "penumbra/belief/particle_filter.h"
#include "penumbra/policy/fnc.h"
#include "penumbra/policy/policy.h"

namespace penumbra {

struct BeliefExecutionOptions {
  int particles = 256;
  int by_value = 6;     // candidates by network value
  int siblings = 6;     // candidates among the last node's other successors
  double switch_z = 1;  // standard errors that another node must be better by
};

class BeliefExecution final : public Policy {
 public:
  // The model outlives the policy. Throws Error if the controller is for another one.
  BeliefExecution(const Pomdp& model, Fnc controller, const BeliefExecutionOptions& options);

  std::string describe() const override;
  size_t memory_size() const override;
  void start(Streams streams, Records memory) const override;
  void act(Records memory, Streams streams, Records action) const override;
  void observe(Records memory, ConstRecords action, ConstRecords seen,
               Streams streams) const override;

 private:
  std::vector<int> candidates(int node, int last, ConstRecords belief, RngKey key) const;
  int best_node(const std::vector<int>& nodes, ConstRecords belief, RngKey key) const;

  const Pomdp& model_;
  Fnc controller_;
  BeliefExecutionOptions options_;
  ParticleFilter filter_;
  std::vector<int> node_of_;  // per network
  int depth_;
};

}  // namespace penumbra
