// The value of executing a node of a likelihood controller from a state, by simulation.
#pragma once

#include <span>

#include "penumbra/policy/likelihood_controller.h"

namespace penumbra::mcvi {

// Not for several threads at once: it keeps its buffers.
class LikelihoodRollouts {
 public:
  // Returns are cut after `max_depth` steps.
  LikelihoodRollouts(const Pomdp& model, int max_depth);

  // out[i] = discounted return from node[i] and state[i] with the stream (key, id[i]).
  void run(const LikelihoodController& controller, ConstRecords state, std::span<const int> node,
           std::span<const uint64_t> id, RngKey key, std::span<float> out);
  // The same for one node, with the streams 0, 1, ...
  std::vector<float> run(const LikelihoodController& controller, ConstRecords state, int node,
                         RngKey key);

  uint64_t steps() const { return steps_; }

 private:
  const Pomdp& model_;
  int max_depth_;
  std::vector<double> scratch_;
  uint64_t steps_ = 0;
};

}  // namespace penumbra::mcvi
