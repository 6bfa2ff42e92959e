#include "penumbra/search/leaf_batch.h"

namespace penumbra::search {
namespace {
constexpr size_t kGrain = 32;  // states of a chunk, with any number of threads
}

void LeafBatch::clear() {
  states_.clear();
  nodes_.clear();
  ids_.clear();
}

int LeafBatch::add(const std::byte* state, int node, uint64_t id) {
  states_.push_back(state);
  nodes_.push_back(node);
  ids_.push_back(id);
  return static_cast<int>(nodes_.size()) - 1;
}

void LeafBatch::run(RngKey key) {
  values_.resize(size());
  while (memories_.size() < ThreadPool::num_chunks(size(), kGrain)) memories_.emplace_back(model_);
  auto chunk = [&](size_t c, size_t begin, size_t end) {
    const size_t n = end - begin;
    leaf_.value(states_.sub(begin, n), {nodes_.data() + begin, n}, {key, 0, ids_.data() + begin},
                memories_[c], {values_.data() + begin, n});
  };
  if (pool_ && size() > kGrain) return pool_->for_chunks(size(), kGrain, chunk);
  for (size_t c = 0, begin = 0; begin < size(); ++c, begin += kGrain)
    chunk(c, begin, std::min(begin + kGrain, size()));
}

uint64_t LeafBatch::steps() const {
  uint64_t sum = 0;
  for (const LeafMemory& memory : memories_) sum += memory.steps;
  return sum;
}

}  // namespace penumbra::search
