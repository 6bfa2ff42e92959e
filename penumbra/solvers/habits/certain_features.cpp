#include "penumbra/solvers/habits/certain_features.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "penumbra/solvers/controller/walk_states.h"

namespace penumbra::habits {
namespace {

constexpr size_t kWalks = 32, kLanes = 1024, kWalkStates = 4096;
constexpr int kLongestWalk = 100;

class Search {
 public:
  Search(const Pomdp& model, RngKey key) : model_(model), key_(key), layout_(model.features()) {
    for (size_t b = 0; b < layout_.categories.size(); ++b)
      features_.push_back({false, static_cast<int>(b), 0});
    for (int i = 0; i < layout_.num_bits; ++i) features_.push_back({true, i, 0});
  }

  std::vector<CertainFeature> run() {
    for (size_t walk = 0; walk < kWalks && !features_.empty(); ++walk) follow(walk);
    keep_those_that_vary();
    return features_;
  }

 private:
  // All lanes do the same; those that see something else than the first are dropped.
  void follow(size_t walk) {
    const RngKey key = key_.fold("walk").fold(walk);
    RecordBuffer states(model_.state_size(), kLanes);
    model_.sample_initial({key.fold("initial")}, states);
    StepBuffers buffers(model_, kLanes);
    for (int t = 0; t < kLongestWalk && states.count() > 1; ++t) {
      drop_those_that_differ(states);
      const int action =
          static_cast<int>(Rng(key.fold("act"), t).below(model_.facts().num_actions));
      const std::vector<int> actions(states.count(), action);
      const StepResults out = buffers.results(states.count());
      model_.step(states, std::span<const int>(actions), {key.fold("step").fold(t)}, out);
      if (out.ended[0]) return;
      RecordBuffer kept(model_.state_size());
      for (size_t i = 0; i < states.count(); ++i)
        if (!out.ended[i] && same_record(out.seen.at(i), out.seen.at(0), out.seen.size))
          kept.push_back(out.next.at(i));
      states = std::move(kept);
    }
  }

  void drop_those_that_differ(const RecordBuffer& states) {
    encode(states);
    std::erase_if(features_, [&](const CertainFeature& f) {
      const int first = value(f, 0);
      for (size_t i = 1; i < states.count(); ++i)
        if (value(f, i) != first) return true;
      return false;
    });
  }

  void keep_those_that_vary() {
    const RecordBuffer states =
        controller::random_walk_states(model_, kWalkStates, key_.fold("vary"));
    encode(states);
    std::vector<std::pair<size_t, CertainFeature>> found;  // with how many values
    for (CertainFeature f : features_) {
      std::map<int, int> count;
      for (size_t i = 0; i < states.count(); ++i) ++count[value(f, i)];
      if (count.size() < 2) continue;
      f.usual = std::max_element(count.begin(), count.end(), [](const auto& a, const auto& b) {
                  return a.second < b.second;
                })->first;
      found.emplace_back(count.size(), f);
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
      return a.second.bit != b.second.bit ? !a.second.bit : a.first > b.first;
    });
    features_.clear();
    for (const auto& [values, f] : found) features_.push_back(f);
  }

  void encode(const RecordBuffer& states) {
    batch_ = FeatureBatch(layout_, static_cast<int>(states.count()));
    if (states.count() > 0) model_.encode(states, batch_);
  }
  int value(const CertainFeature& f, size_t i) {
    const FeatureRow row = batch_.row(static_cast<int>(i));
    return f.value(row.category, row.bits);
  }

  const Pomdp& model_;
  RngKey key_;
  FeatureLayout layout_;
  FeatureBatch batch_;
  std::vector<CertainFeature> features_;
};

}  // namespace

std::vector<CertainFeature> find_certain_features(const Pomdp& model, RngKey key) {
  return Search(model, key).run();
}

}  // namespace penumbra::habits
