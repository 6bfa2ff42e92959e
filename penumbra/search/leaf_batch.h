// The states that a wave of descents wants to know the worth of, asked together.
#pragma once

#include <vector>

#include "penumbra/search/leaf.h"

namespace penumbra::search {

class LeafBatch {
 public:
  LeafBatch(const Pomdp& model, const Leaf& leaf, ThreadPool* pool)
      : model_(model), leaf_(leaf), pool_(pool), states_(model.state_size()) {}

  void clear();
  // The number of the state; value(number) after run(). `id`: of its random numbers.
  int add(const std::byte* state, int node, uint64_t id);
  void run(RngKey key);
  double value(int number) const { return values_[number]; }
  size_t size() const { return nodes_.size(); }
  uint64_t steps() const;  // of the model, since the beginning

 private:
  const Pomdp& model_;
  const Leaf& leaf_;
  ThreadPool* pool_;
  RecordBuffer states_;
  std::vector<int> nodes_;
  std::vector<uint64_t> ids_;
  std::vector<double> values_;
  std::vector<LeafMemory> memories_;  // one per chunk
};

}  // namespace penumbra::search
