// What following the guide is worth, by simulation. The return of a node from a state is a pure
// function of the two and of one of a few streams, so it is kept: the same states come up again
// and again, in a tree and from one decision to the next.
#pragma once

#include <span>
#include <vector>

#include "penumbra/base/thread_pool.h"
#include "penumbra/policy/rollouts.h"
#include "penumbra/search/guide.h"

namespace penumbra::search {

// Beliefs, each a run of states, and the nodes that each may follow.
struct GuideQuery {
  ConstRecords states;
  std::span<const double> weights;  // one per state; empty: equal
  std::vector<size_t> begin{0};     // of each belief's states, and the end
  std::vector<size_t> candidate_begin{0};
  std::vector<int> candidates;

  void add(size_t num_states, std::span<const int> nodes) {
    begin.push_back(begin.back() + num_states);
    candidates.insert(candidates.end(), nodes.begin(), nodes.end());
    candidate_begin.push_back(candidates.size());
  }
  int count() const { return static_cast<int>(begin.size()) - 1; }
};

class GuideValues {
 public:
  GuideValues(const Guide& guide, ThreadPool* pool);
  // The best node of every belief and its value there.
  void best(const GuideQuery& query, std::span<double> value, std::span<int> node);
  // out[i * nodes + n]: of state i with stream i, for every node of the guide.
  void of_every_node(ConstRecords states, std::span<const uint64_t> streams, std::span<float> out);
  uint64_t steps() const { return steps_; }

 private:
  void begin(size_t lookups);
  // The slot of a return; what is not known is simulated by run().
  uint32_t want(const std::byte* state, uint64_t state_hash, int node, uint64_t stream);
  size_t slot_of(uint64_t hash) const;
  void make_room(size_t more);
  void run();

  const Guide& guide_;
  ThreadPool* pool_;
  std::vector<Rollouts> rollouts_;  // one per chunk
  // Open addressing; the hash of state, node and stream stands for them.
  std::vector<uint64_t> hash_;
  std::vector<float> value_;
  size_t used_ = 0;
  // Wanted, and not known yet.
  RecordBuffer states_;
  std::vector<int> node_;
  std::vector<uint64_t> id_, missing_;  // streams; slots
  std::vector<float> returns_;
  std::vector<uint32_t> entry_;  // slots, in the order they were asked for
  uint64_t steps_ = 0;
};

}  // namespace penumbra::search
