#include "penumbra/search/guide_values.h"

#include <algorithm>

namespace penumbra::search {
namespace {

constexpr size_t kStreams = 16;               // returns per state and node that are averaged
constexpr size_t kLargest = size_t{1} << 20;  // entries
constexpr size_t kChunk = 1024;               // rollouts
constexpr RngKey kKey = RngKey{0x6775696465u};

uint64_t hash_of(uint64_t state, int node, size_t stream) {
  const uint64_t h = RngKey::mix(state ^ RngKey::mix(uint64_t(node) << 8 | stream));
  return h ? h : 1;  // 0 is an empty slot
}

}  // namespace

GuideValues::GuideValues(const Guide& guide, ThreadPool* pool)
    : guide_(guide),
      pool_(pool),
      rollouts_(1, Rollouts(guide.model(), guide.depth())),
      hash_(4096, 0),
      value_(4096),
      states_(guide.model().state_size()) {}

size_t GuideValues::slot_of(uint64_t hash) const {
  const size_t mask = hash_.size() - 1;
  size_t at = hash & mask;
  while (hash_[at] && hash_[at] != hash) at = (at + 1) & mask;
  return at;
}

void GuideValues::make_room(size_t more) {
  if (2 * (used_ + more) < hash_.size()) return;
  std::vector<uint64_t> old_hash;
  std::vector<float> old_value;
  old_hash.swap(hash_);
  old_value.swap(value_);
  size_t size = old_hash.size();
  const bool forget = used_ > kLargest;
  if (forget) used_ = 0;
  while (2 * (used_ + more) >= size) size *= 2;
  hash_.assign(size, 0);
  value_.resize(size);
  if (forget) return;
  for (size_t i = 0; i < old_hash.size(); ++i) {
    if (!old_hash[i]) continue;
    const size_t at = slot_of(old_hash[i]);
    hash_[at] = old_hash[i];
    value_[at] = old_value[i];
  }
}

void GuideValues::run() {
  const size_t n = node_.size();
  returns_.resize(n);
  const size_t chunks = ThreadPool::num_chunks(n, kChunk);
  while (rollouts_.size() < chunks) rollouts_.emplace_back(guide_.model(), guide_.depth());
  auto body = [&](size_t chunk, size_t begin, size_t end) {
    const size_t count = end - begin;
    rollouts_[chunk].run(guide_.fsc(), states_.sub(begin, count),
                         std::span<const int>(node_).subspan(begin, count),
                         std::span<const uint64_t>(id_).subspan(begin, count), kKey,
                         std::span<float>(returns_).subspan(begin, count));
  };
  if (pool_)
    pool_->for_chunks(n, kChunk, body);
  else
    for (size_t c = 0; c < chunks; ++c) body(c, c * kChunk, std::min(n, (c + 1) * kChunk));
  steps_ = 0;
  for (const Rollouts& r : rollouts_) steps_ += r.steps();
  for (size_t m = 0; m < n; ++m) value_[missing_[m]] = returns_[m];
}

void GuideValues::begin(size_t lookups) {
  make_room(lookups);
  states_.clear();
  node_.clear();
  id_.clear();
  missing_.clear();
}

uint32_t GuideValues::want(const std::byte* state, uint64_t state_hash, int node, uint64_t stream) {
  stream %= kStreams;
  const uint64_t hash = hash_of(state_hash, node, stream);
  const size_t slot = slot_of(hash);
  if (!hash_[slot]) {
    hash_[slot] = hash;
    ++used_;
    missing_.push_back(slot);
    states_.push_back(state);
    node_.push_back(node);
    id_.push_back(stream);
  }
  return static_cast<uint32_t>(slot);
}

void GuideValues::of_every_node(ConstRecords states, std::span<const uint64_t> streams,
                                std::span<float> out) {
  const int nodes = guide_.fsc().num_nodes();
  begin(out.size());
  entry_.resize(out.size());
  size_t at = 0;
  for (size_t i = 0; i < states.count; ++i) {
    const uint64_t hash = hash_record(states.at(i), states.size);
    for (int n = 0; n < nodes; ++n) entry_[at++] = want(states.at(i), hash, n, streams[i]);
  }
  run();
  for (size_t k = 0; k < out.size(); ++k) out[k] = value_[entry_[k]];
}

void GuideValues::best(const GuideQuery& query, std::span<double> value, std::span<int> node) {
  // First what is missing is simulated, then everything is looked up.
  size_t lookups = 0;
  for (int g = 0; g < query.count(); ++g)
    lookups += (query.begin[g + 1] - query.begin[g]) *
               (query.candidate_begin[g + 1] - query.candidate_begin[g]);
  begin(lookups);
  const size_t n = query.states.count;
  std::vector<uint64_t> state_hash(n);
  for (size_t i = 0; i < n; ++i) state_hash[i] = hash_record(query.states.at(i), query.states.size);
  entry_.resize(lookups);
  size_t at = 0;
  for (int g = 0; g < query.count(); ++g) {
    for (size_t c = query.candidate_begin[g]; c < query.candidate_begin[g + 1]; ++c) {
      for (size_t i = query.begin[g]; i < query.begin[g + 1]; ++i) {
        entry_[at++] = want(query.states.at(i), state_hash[i], query.candidates[c], i);
      }
    }
  }
  run();
  at = 0;
  for (int g = 0; g < query.count(); ++g) {
    double most = 0;
    int best_node = -1;
    for (size_t c = query.candidate_begin[g]; c < query.candidate_begin[g + 1]; ++c) {
      double sum = 0, total = 0;
      for (size_t i = query.begin[g]; i < query.begin[g + 1]; ++i, ++at) {
        const double w = query.weights.empty() ? 1 : query.weights[i];
        sum += w * value_[entry_[at]];
        total += w;
      }
      const double mean = total > 0 ? sum / total : 0;
      if (best_node >= 0 && mean <= most) continue;
      most = mean;
      best_node = query.candidates[c];
    }
    value[g] = most;
    node[g] = best_node;
  }
}

}  // namespace penumbra::search
