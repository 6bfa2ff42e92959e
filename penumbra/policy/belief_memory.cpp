#include "penumbra/policy/belief_memory.h"

#include <algorithm>

#include "penumbra/belief/mixed_filter.h"

namespace penumbra {
namespace {

// The positive entries alone where these are few.
HiddenBelief thinned(std::span<const double> dense) {
  HiddenBelief out;
  const size_t positive = dense.size() - std::count(dense.begin(), dense.end(), 0.0);
  if (3 * positive > 2 * dense.size()) {
    out.value.assign(dense.begin(), dense.end());
    return out;
  }
  out.value.reserve(positive);
  out.index.reserve(positive);
  for (size_t i = 0; i < dense.size(); ++i) {
    if (dense[i] == 0) continue;
    out.index.push_back(static_cast<int>(i));
    out.value.push_back(dense[i]);
  }
  return out;
}

void spread(HiddenView belief, std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  for (size_t i = 0; i < belief.size(); ++i) out[belief.at(i)] = belief.value[i];
}

}  // namespace

BeliefMemory::BeliefMemory(const MixedModel& model, Choose choose, size_t most_bytes)
    : model_(model), choose_(std::move(choose)), most_bytes_(most_bytes) {
  const int part = model_.start_part();
  std::vector<double> dense(model_.size(part));
  spread(model_.start().view(), dense);
  add(part, choose_(part, {dense, {}}), thinned(dense));
}

BeliefMemory::~BeliefMemory() {
  for (auto& block : blocks_) delete[] block.load();
}

void BeliefMemory::read(int belief, std::span<double> out) const {
  spread(at(belief).hidden.view(), out);
}

const BeliefMemory::Edge* BeliefMemory::find(const Edge* edge, int seen) {
  while (edge && edge->seen != seen) edge = edge->after;
  return edge;
}

int BeliefMemory::next(int number, int seen) {
  Belief& belief = at(number);
  if (const Edge* edge = find(belief.edges.load(std::memory_order_acquire), seen)) return edge->to;
  HiddenBelief hidden;
  hidden.value.resize(model_.size(belief.part));
  read(number, hidden.value);
  int part = belief.part;
  const bool possible = MixedFilter(model_).track(part, hidden, belief.action, seen) > 0;
  std::vector<double> dense(possible ? model_.size(part) : 0);
  if (possible) spread(hidden.view(), dense);
  const int action = possible ? choose_(part, {dense, {}}) : 0;
  const std::lock_guard lock(adding_);
  Edge* const first = belief.edges.load(std::memory_order_acquire);
  if (const Edge* edge = find(first, seen)) return edge->to;
  const int to = possible ? add(part, action, thinned(dense)) : number;
  if (to < 0) return to;
  edges_.push_back(std::make_unique<Edge>(Edge{seen, to, first}));
  bytes_ += sizeof(Edge) + 2 * sizeof(Edge*);
  belief.edges.store(edges_.back().get(), std::memory_order_release);
  return to;
}

int BeliefMemory::add(int part, int action, HiddenBelief hidden) {
  const size_t bytes =
      sizeof(Belief) + hidden.value.size() * sizeof(double) + hidden.index.size() * sizeof(int);
  const size_t block = count_ / kBlock;
  if (count_ > 0 && (bytes_ + bytes > most_bytes_ || block >= kBlocks)) return -1;
  if (count_ % kBlock == 0) blocks_[block].store(new Belief[kBlock], std::memory_order_release);
  bytes_ += bytes;
  Belief& belief = at(static_cast<int>(count_));
  belief.part = part;
  belief.action = action;
  belief.hidden = std::move(hidden);
  return static_cast<int>(count_++);
}

}  // namespace penumbra
