// A controller for continuous observations, without clusters. A node has an action, some successor
// nodes, and a sample of the states that its action leads to, with the value of every successor in
// each of them. After an observation o the successor k is taken for which
//
//   sum_j  O(o | s'_j, a) alpha_k(s'_j)
//
// is largest: what the belief after o would choose, were the belief before it the node's sample.
// Paper: Monte Carlo Value Iteration (Bai, Hsu, Lee, Ngo).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "penumbra/policy/policy.h"

namespace penumbra {

struct LikelihoodNode {
  int action = 0;
  std::vector<float> real_action{};  // of a box of actions: the action itself
  std::vector<int> successor;  // the first one is taken where no sample explains the observation
  RecordBuffer samples;        // s'_j
  std::vector<float> value;    // alpha_k(s'_j), row-major [successor][sample]

  size_t num_samples() const { return samples.count(); }
  const std::byte* action_record() const {
    return real_action.empty() ? reinterpret_cast<const std::byte*>(&action)
                               : reinterpret_cast<const std::byte*>(real_action.data());
  }
};

struct LikelihoodController {
  int start = 0;
  std::vector<std::shared_ptr<const LikelihoodNode>> nodes;  // shared by copies

  int num_nodes() const { return static_cast<int>(nodes.size()); }
};

// Whether actions are those of a box, one for every node.
bool has_real_actions(const LikelihoodController& controller);

// The node that follows; `scratch` is memory.
int next_node(const Pomdp& model, const LikelihoodNode& node, const std::byte* seen,
              std::vector<double>& scratch);

// What the start can reach, renumbered in order of first visit.
LikelihoodController reachable(const LikelihoodController& controller);

// Throws Error if something is out of range for the model.
void check_likelihood_controller(const LikelihoodController& controller, const Pomdp& model);

class LikelihoodPolicy final : public Policy {
 public:
  // The model outlives the policy; it needs a likelihood.
  LikelihoodPolicy(const Pomdp& model, LikelihoodController controller);
  std::string describe() const override;
  size_t memory_size() const override { return sizeof(int32_t); }
  void start(Streams streams, Records memory) const override;
  void act(Records memory, Streams streams, Records action) const override;
  void observe(Records memory, ConstRecords action, ConstRecords seen,
               Streams streams) const override;

 private:
  const Pomdp& model_;
  LikelihoodController controller_;
};

}  // namespace penumbra
