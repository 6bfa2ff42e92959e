// The value of executing a controller's node from a state, by simulation: what alpha_NN(s)
// approximates. Many rollouts advance in lockstep; equal ones are done once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "penumbra/model/pomdp.h"
#include "penumbra/policy/fsc.h"

namespace penumbra {

// Not for several threads at once: it keeps its buffers.
class Rollouts {
 public:
  // Returns are cut after `max_depth` steps.
  Rollouts(const Pomdp& model, int max_depth);

  // out[i] = discounted return of starting the controller at node[i] in state[i] with the random
  // numbers of stream (key, id[i]): equal ids give common random numbers.
  void run(const Fsc& fsc, ConstRecords state, std::span<const int> node,
           std::span<const uint64_t> id, RngKey key, std::span<float> out);

  // The returns of one node from all states, state i with stream i.
  std::vector<float> returns(const Fsc& fsc, int node, ConstRecords states, RngKey key);

  uint64_t steps() const { return steps_; }

 private:
  void run_block(const Fsc& fsc, ConstRecords state, std::span<const int> node,
                 std::span<const uint64_t> id, std::span<float> out);

  const Pomdp& model_;
  int max_depth_;
  size_t block_;              // lanes in lockstep: their records stay in the first-level cache
  std::vector<RngKey> keys_;  // one per depth
  RecordBuffer current_, next_;
  std::vector<int> node_, action_, seen_, lane_;
  std::vector<uint64_t> id_;
  std::vector<float> reward_;
  std::vector<uint8_t> ended_;
  uint64_t steps_ = 0;
};

// Rollouts that are wanted, each distinct (state, node, stream) once.
class RolloutSet {
 public:
  explicit RolloutSet(size_t state_size) : states_(state_size) {}

  // The number of the rollout; value(number) after run().
  int want(const std::byte* state, int node, uint64_t id);
  void run(Rollouts& rollouts, const Fsc& fsc, RngKey key);
  float value(int number) const { return values_[number]; }
  size_t size() const { return nodes_.size(); }
  void clear();

 private:
  void grow();

  RecordBuffer states_;
  std::vector<int> nodes_;
  std::vector<uint64_t> ids_;
  std::vector<float> values_;
  std::vector<uint64_t> hashes_;  // one per rollout
  std::vector<int> slots_;        // open addressing: number + 1, or 0
};

}  // namespace penumbra
