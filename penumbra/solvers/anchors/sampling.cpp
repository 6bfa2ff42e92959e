#include "penumbra/solvers/anchors/sampling.h"

#include <algorithm>
#include <unordered_set>

#include "penumbra/base/error.h"

namespace penumbra::anchors {
namespace {

constexpr size_t kBlock = 1024;    // states at once
constexpr int kLongestHold = 8;    // steps that an action is kept
constexpr int kWalkLength = 40;    // steps
constexpr double kTaken = 0.25;    // share of the states of a walk: others are much like them
constexpr double kGuided = 0.5;    // share of anchors where the guide goes
constexpr size_t kMostTries = 20;  // per anchor, where states are few

class Sampler {
 public:
  Sampler(const Pomdp& model, size_t count, RngKey key, const Stop& stop)
      : model_(model), count_(count), key_(key), stop_(stop), anchors_(model.state_size()) {}

  RecordBuffer run(const Fsc* guide) {
    const size_t others = guide ? static_cast<size_t>((1 - kGuided) * double(count_)) : count_;
    take_initial((others + 1) / 2);
    if (anchors_.count() == 0) throw Error(model_.facts().name + ": every episode is over at once");
    take_from_walks(nullptr, others);
    if (guide) take_from_walks(guide, count_);
    return std::move(anchors_);
  }

 private:
  void take_initial(size_t wanted) {
    RecordBuffer states(model_.state_size(), kBlock);
    std::vector<uint8_t> ended(kBlock);
    for (size_t tried = 0; tried < kMostTries * wanted && anchors_.count() < wanted;
         tried += kBlock) {
      throw_if_stopped(stop_);
      model_.sample_initial({key_.fold("initial"), tried}, states);
      model_.is_terminal(states, ended);
      for (size_t i = 0; i < kBlock && anchors_.count() < wanted; ++i)
        if (!ended[i]) take(states.at(i));
    }
  }

  // Until there are `wanted` anchors. By the guide, or at random.
  void take_from_walks(const Fsc* guide, size_t wanted) {
    const RngKey own = key_.fold(guide ? "guided" : "random");
    RecordBuffer state(model_.state_size(), kBlock), fresh(model_.state_size(), kBlock);
    StepBuffers buffers(model_, kBlock);
    std::vector<int> action(kBlock), hold(kBlock, 0), age(kBlock);
    std::vector<int> node(kBlock, guide ? guide->start : 0);
    std::vector<char> taken(kBlock);
    model_.sample_initial({own}, state);
    // Walks are of different ages from the beginning on, so that early and late states mix.
    for (size_t i = 0; i < kBlock; ++i) age[i] = static_cast<int>(i) % kWalkLength;
    const size_t tries = kMostTries * count_;
    for (size_t t = 0; anchors_.count() < wanted && t * kBlock < tries; ++t) {
      throw_if_stopped(stop_);
      const RngKey key = own.fold(t);
      for (size_t i = 0; i < kBlock; ++i) {
        Rng rng(key.fold("action"), i);
        taken[i] = rng.bernoulli(kTaken);
        if (guide) {
          action[i] = guide->action[node[i]];
        } else if (hold[i]-- <= 0) {
          action[i] = static_cast<int>(rng.below(uint32_t(model_.facts().num_actions)));
          hold[i] = static_cast<int>(rng.below(kLongestHold));
        }
      }
      const StepResults out = buffers.results(kBlock);
      model_.step(state, std::span<const int>(action), {key}, out);
      model_.sample_initial({key.fold("again")}, fresh);
      for (size_t i = 0; i < kBlock; ++i) {
        const bool over = out.ended[i] || ++age[i] >= kWalkLength;
        if (!out.ended[i] && taken[i] && anchors_.count() < wanted) take(out.next.at(i));
        if (guide) node[i] = over ? guide->start : guide->next(node[i], index_of(out.seen, i));
        state.copy_from(i, over ? fresh.at(i) : out.next.at(i));
        if (over) age[i] = hold[i] = 0;
      }
    }
  }

  void take(const std::byte* state) {
    FeatureBatch row(model_.features(), 1);
    model_.encode({state, model_.state_size(), 1}, row);
    uint64_t hash = hash_record(std::as_bytes(row.category()).data(), row.category().size_bytes());
    hash =
        RngKey::mix(hash) ^ hash_record(std::as_bytes(row.bits()).data(), row.bits().size_bytes());
    hash = RngKey::mix(hash) ^
           hash_record(std::as_bytes(row.dense()).data(), row.dense().size_bytes());
    if (met_.insert(hash).second) anchors_.push_back(state);
  }

  const Pomdp& model_;
  size_t count_;
  RngKey key_;
  const Stop& stop_;
  RecordBuffer anchors_;
  std::unordered_set<uint64_t> met_;  // hashes of features
};

}  // namespace

RecordBuffer sample_anchors(const Pomdp& model, size_t count, RngKey key, const Stop& stop,
                            const Fsc* guide) {
  return Sampler(model, count, key, stop).run(guide);
}

}  // namespace penumbra::anchors
