#include "penumbra/solvers/anchors/sampling.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_set>

#include "penumbra/base/error.h"

namespace penumbra::anchors {
namespace {

constexpr size_t kBlock = 1024;    // states at once
constexpr int kLongestHold = 8;    // steps that an action is kept
constexpr int kWalkLength = 40;    // steps
constexpr double kTaken = 0.25;    // share of the states of a walk: others are much like them
constexpr size_t kMostTries = 20;  // per anchor, where states are few

class Sampler {
 public:
  Sampler(const Pomdp& model, size_t count, size_t origins, RngKey key, const Stop& stop)
      : model_(model),
        count_(count),
        origins_(origins),
        key_(key),
        stop_(stop),
        features_(model.features()),
        anchors_(model.state_size()) {}

  RecordBuffer run() {
    take_initial();
    if (anchors_.count() == 0) throw Error(model_.facts().name + ": every episode is over at once");
    if (origins_ > 0) take_successors();
    if (anchors_.count() < count_) take_from_walks();
    return std::move(anchors_);
  }

 private:
  void take_initial() {
    RecordBuffer states(model_.state_size(), kBlock);
    std::vector<uint8_t> ended(kBlock);
    const size_t wanted = origins_ > 0 ? origins_ : (count_ + 1) / 2;
    model_.sample_initial({key_.fold("initial")}, states);
    set_grain(states);
    for (size_t tried = 0; tried < kMostTries * wanted && anchors_.count() < wanted;
         tried += kBlock) {
      throw_if_stopped(stop_);
      model_.sample_initial({key_.fold("initial"), tried}, states);
      model_.is_terminal(states, ended);
      for (uint8_t& e : ended) e = !e;
      take(states, ended, wanted);
    }
  }

  void begin(RngKey key, Records states) const {
    if (origins_ == 0) return model_.sample_initial({key}, states);
    for (size_t i = 0; i < states.count; ++i) {
      const uint32_t from = Rng(key, i).below(static_cast<uint32_t>(origins_));
      std::memcpy(states.at(i), anchors_.at(std::min<size_t>(from, anchors_.count() - 1)),
                  model_.state_size());
    }
  }

  // Features that differ by less are the same: a step forth and one back may round.
  void set_grain(const RecordBuffer& states) {
    const size_t dense = features_.layout().num_dense;
    features_.resize(static_cast<int>(states.count()));
    model_.encode(states, features_);
    grain_.assign(dense, 0.0f);
    for (size_t d = 0; d < dense; ++d) {
      float low = HUGE_VALF, high = -HUGE_VALF;
      for (size_t i = 0; i < states.count(); ++i) {
        low = std::min(low, features_.dense()[i * dense + d]);
        high = std::max(high, features_.dense()[i * dense + d]);
      }
      grain_[d] = 1e-4f * (high - low) + 1e-6f;
    }
  }

  // Breadth first from the origins, so that few steps lead to where no anchor is.
  void take_successors() {
    const size_t actions = model_.facts().num_actions, most = std::max<size_t>(1, kBlock / actions);
    StepBuffers buffers(model_, most * actions);
    std::vector<uint8_t> taken(most * actions);
    for (size_t done = 0; done < anchors_.count() && anchors_.count() < count_;) {
      throw_if_stopped(stop_);
      const size_t some = std::min(anchors_.count() - done, most), n = some * actions;
      RecordBuffer from(model_.state_size(), n);
      std::vector<int> action(n);
      for (size_t i = 0; i < n; ++i) {
        from.copy_from(i, anchors_.at(done + i / actions));
        action[i] = static_cast<int>(i % actions);
      }
      const StepResults out = buffers.results(n);
      model_.step(from, std::span<const int>(action), {key_.fold("successors"), done * actions},
                  out);
      for (size_t i = 0; i < n; ++i) taken[i] = !out.ended[i];
      take(out.next, taken, count_);
      done += some;
    }
  }

  void take_from_walks() {
    RecordBuffer state(model_.state_size(), kBlock), fresh(model_.state_size(), kBlock);
    StepBuffers buffers(model_, kBlock);
    std::vector<int> action(kBlock), hold(kBlock, 0), age(kBlock);
    std::vector<uint8_t> taken(kBlock);
    begin(key_.fold("walks"), state);
    // Walks are of different ages from the beginning on, so that early and late states mix.
    for (size_t i = 0; i < kBlock; ++i) age[i] = static_cast<int>(i) % kWalkLength;
    const size_t tries = kMostTries * count_;
    for (size_t t = 0; anchors_.count() < count_ && t * kBlock < tries; ++t) {
      throw_if_stopped(stop_);
      const RngKey key = key_.fold("walk").fold(t);
      for (size_t i = 0; i < kBlock; ++i) {
        Rng rng(key.fold("action"), i);
        taken[i] = rng.bernoulli(origins_ > 0 ? 1 : kTaken);
        if (hold[i]-- > 0) continue;
        action[i] = static_cast<int>(rng.below(static_cast<uint32_t>(model_.facts().num_actions)));
        hold[i] = static_cast<int>(rng.below(kLongestHold));
      }
      const StepResults out = buffers.results(kBlock);
      model_.step(state, std::span<const int>(action), {key}, out);
      for (size_t i = 0; i < kBlock; ++i) taken[i] = taken[i] && !out.ended[i];
      take(out.next, taken, count_);
      begin(key.fold("again"), fresh);
      for (size_t i = 0; i < kBlock; ++i) {
        const bool over = out.ended[i] || ++age[i] >= kWalkLength;
        state.copy_from(i, over ? fresh.at(i) : out.next.at(i));
        if (over) age[i] = hold[i] = 0;
      }
    }
  }

  // Those that are wanted and new, until there are `most` anchors.
  void take(ConstRecords states, std::span<const uint8_t> wanted, size_t most) {
    features_.resize(static_cast<int>(states.count));
    model_.encode(states, features_);
    std::vector<int64_t> rounded(grain_.size());
    for (size_t i = 0; i < states.count && anchors_.count() < most; ++i) {
      if (!wanted[i]) continue;
      const FeatureRow row = features_.row(static_cast<int>(i));
      uint64_t hash = hash_of(row.category);
      hash = RngKey::mix(hash) ^ hash_of(row.bits);
      for (size_t d = 0; d < row.dense.size(); ++d)
        rounded[d] = static_cast<int64_t>(std::llround(row.dense[d] / grain_[d]));
      hash = RngKey::mix(hash) ^ hash_of(std::span(rounded));
      if (met_.insert(hash).second) anchors_.push_back(states.at(i));
    }
  }
  template <class T>
  static uint64_t hash_of(std::span<T> values) {
    return hash_record(std::as_bytes(values).data(), values.size_bytes());
  }

  const Pomdp& model_;
  size_t count_, origins_;
  std::vector<float> grain_;  // per dense feature
  RngKey key_;
  const Stop& stop_;
  FeatureBatch features_;
  RecordBuffer anchors_;
  std::unordered_set<uint64_t> met_;  // hashes of features
};

}  // namespace

RecordBuffer sample_anchors(const Pomdp& model, size_t count, size_t origins, RngKey key,
                            const Stop& stop) {
  return Sampler(model, count, origins, key, stop).run();
}

}  // namespace penumbra::anchors
