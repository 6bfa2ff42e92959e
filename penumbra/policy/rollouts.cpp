#include "penumbra/policy/rollouts.h"

#include <algorithm>
#include <numeric>

namespace penumbra {

Rollouts::Rollouts(const Pomdp& model, int max_depth)
    : model_(model),
      max_depth_(max_depth),
      block_(model.lanes_per_call()),
      keys_(max_depth),
      current_(model.state_size(), block_),
      next_(model.state_size(), block_),
      node_(block_),
      action_(block_),
      seen_(block_),
      lane_(block_),
      id_(block_),
      reward_(block_),
      ended_(block_) {}

void Rollouts::run(const Fsc& fsc, ConstRecords state, std::span<const int> node,
                   std::span<const uint64_t> id, RngKey key, std::span<float> out) {
  for (int t = 0; t < max_depth_; ++t) keys_[t] = key.fold(t);
  for (size_t begin = 0; begin < state.count; begin += block_) {
    const size_t n = std::min(block_, state.count - begin);
    run_block(fsc, state.sub(begin, n), node.subspan(begin, n), id.subspan(begin, n),
              out.subspan(begin, n));
  }
}

std::vector<float> Rollouts::returns(const Fsc& fsc, int node, ConstRecords states, RngKey key) {
  std::vector<float> out(states.count);
  std::vector<uint64_t> ids(states.count);
  std::iota(ids.begin(), ids.end(), uint64_t{0});
  run(fsc, states, std::vector<int>(states.count, node), ids, key, out);
  return out;
}

void Rollouts::run_block(const Fsc& fsc, ConstRecords state, std::span<const int> node,
                         std::span<const uint64_t> id, std::span<float> out) {
  const size_t size = model_.state_size();
  auto copy = [size](std::byte* to, const std::byte* from) {
    if (size == 8)  // a compiled-in size is a single move
      std::memcpy(to, from, 8);
    else if (size == 16)
      std::memcpy(to, from, 16);
    else
      std::memcpy(to, from, size);
  };
  const auto discount = static_cast<float>(model_.facts().discount);
  size_t live = state.count;
  std::memcpy(current_.view().data, state.data, live * size);
  std::copy(node.begin(), node.end(), node_.begin());
  std::copy(id.begin(), id.end(), id_.begin());
  for (size_t i = 0; i < live; ++i) lane_[i] = static_cast<int>(i);
  std::fill(out.begin(), out.end(), 0.0f);
  float weight = 1;
  for (int t = 0; t < max_depth_ && live > 0; ++t) {
    for (size_t i = 0; i < live; ++i) action_[i] = fsc.action[node_[i]];
    const StepResults results{next_.sub(0, live),
                              {reinterpret_cast<std::byte*>(seen_.data()), sizeof(int), live},
                              {reward_.data(), live},
                              {ended_.data(), live}};
    model_.step(current_.sub(0, live), std::span<const int>(action_.data(), live),
                {keys_[t], 0, id_.data()}, results);
    steps_ += live;
    size_t kept = 0;
    for (size_t i = 0; i < live; ++i) {
      out[lane_[i]] += weight * reward_[i];
      if (ended_[i]) continue;
      copy(current_.at(kept), next_.at(i));
      node_[kept] = fsc.next(node_[i], seen_[i]);
      id_[kept] = id_[i];
      lane_[kept] = lane_[i];
      ++kept;
    }
    live = kept;
    weight *= discount;
  }
}

int RolloutSet::want(const std::byte* state, int node, uint64_t id) {
  if (slots_.size() < 2 * (nodes_.size() + 1)) grow();
  const uint64_t hash = RngKey::mix(hash_record(state, states_.record_size()) ^
                                    RngKey::mix(static_cast<uint64_t>(node) << 40 ^ id));
  const size_t mask = slots_.size() - 1;
  for (size_t slot = hash & mask;; slot = (slot + 1) & mask) {
    const int number = slots_[slot] - 1;
    if (number < 0) {
      slots_[slot] = static_cast<int>(nodes_.size()) + 1;
      hashes_.push_back(hash);
      states_.push_back(state);
      nodes_.push_back(node);
      ids_.push_back(id);
      return static_cast<int>(nodes_.size()) - 1;
    }
    if (hashes_[number] == hash && nodes_[number] == node && ids_[number] == id &&
        std::memcmp(states_.at(number), state, states_.record_size()) == 0)
      return number;
  }
}

void RolloutSet::grow() {
  slots_.assign(std::max<size_t>(1024, slots_.size() * 2), 0);
  const size_t mask = slots_.size() - 1;
  for (size_t number = 0; number < nodes_.size(); ++number) {
    size_t slot = hashes_[number] & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<int>(number) + 1;
  }
}

void RolloutSet::run(Rollouts& rollouts, const Fsc& fsc, RngKey key) {
  values_.resize(nodes_.size());
  rollouts.run(fsc, states_, nodes_, ids_, key, values_);
}

void RolloutSet::clear() {
  states_.clear();
  nodes_.clear();
  ids_.clear();
  values_.clear();
  hashes_.clear();
  std::fill(slots_.begin(), slots_.end(), 0);
}

}  // namespace penumbra
