#include "penumbra/model/fingerprint.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "penumbra/model/action_stock.h"

namespace penumbra {
namespace {

constexpr size_t kLanes = 64;
constexpr int kDepth = 6;
constexpr size_t kHead = 3;                             // must be the same
constexpr size_t kShort = kHead + 2 * kLanes * kDepth;  // without states
constexpr size_t kMayDiffer = 3;  // a few lanes may round to another observation elsewhere
constexpr uint64_t kModulus = 1'000'003;

// How many values categories and bits can have together, and which of them a state has: the same
// for a table whether its states are one variable or several. Both modulo a prime.
struct Place {
  uint64_t index = 0, count = 1;
  void add(uint64_t value, uint64_t size) {
    index = (index * size + value) % kModulus;
    count = count * size % kModulus;
  }
};

Place place_of(const FeatureLayout& layout, const FeatureRow& row) {
  Place place;
  for (size_t c = 0; c < layout.categories.size(); ++c)
    place.add(row.category[c], layout.categories[c]);
  for (int b = 0; b < layout.num_bits; ++b) place.add(row.bits[b >> 5] >> (b & 31) & 1, 2);
  return place;
}

// Appends what the states look like.
void add_states(const Pomdp& model, const RecordBuffer& states, std::vector<double>& print) {
  const FeatureLayout layout = model.features();
  FeatureBatch batch(layout, static_cast<int>(states.count()));
  model.encode(states, batch);
  for (int i = 0; i < batch.rows(); ++i) {
    const FeatureRow row = batch.row(i);
    double look = static_cast<double>(place_of(layout, row).index);
    for (float x : row.dense) look += x;
    print.push_back(look);
  }
}

// Any of a finite set, or anywhere in the box.
void draw_action(const Facts& facts, RngKey key, size_t lane, std::byte* out) {
  Rng rng(key, lane);
  if (facts.num_actions > 0) {
    const auto a = static_cast<int>(rng.below(facts.num_actions));
    std::memcpy(out, &a, sizeof a);
    return;
  }
  std::vector<float> drawn(facts.action_low.size());
  draw_in_box(facts, rng, drawn);
  std::memcpy(out, drawn.data(), drawn.size() * sizeof(float));
}

}  // namespace

// [discount, actions, observations], then observation and reward of every lane at every depth.
// Where states have features: [number of states, of dense features], then every lane's at every
// depth.
std::vector<double> fingerprint(const Pomdp& model) {
  const Facts& facts = model.facts();
  const RngKey root = RngKey::from_seed(0).fold("fingerprint");
  RecordBuffer state(model.state_size(), kLanes);
  model.sample_initial({root}, state);
  StepBuffers buffers(model, kLanes);
  RecordBuffer action(model.action_size(), kLanes);
  std::vector<double> print = {facts.discount, double(facts.num_actions),
                               double(facts.num_observations)};
  std::vector<double> states;
  if (model.has(Capability::kFeatures)) {
    FeatureBatch one(model.features(), 1);
    states = {double(place_of(one.layout(), one.row(0)).count), double(one.layout().num_dense)};
  }
  const double scale = std::max({1e-9, std::abs(facts.min_reward), std::abs(facts.max_reward)});
  for (int t = 0; t < kDepth; ++t) {
    if (!states.empty()) add_states(model, state, states);
    const RngKey key = root.fold(t);
    for (size_t i = 0; i < kLanes; ++i) draw_action(facts, key.fold("action"), i, action.at(i));
    const StepResults out = buffers.results(kLanes);
    model.step(state, action, {key.fold("step")}, out);
    std::memcpy(state.view().data, out.next.data, kLanes * model.state_size());
    for (size_t i = 0; i < kLanes; ++i) {
      print.push_back(facts.num_observations > 0 ? double(index_of(out.seen, i))
                                                 : double(out.seen.as<float>(i)));
      print.push_back(out.reward[i] / scale);
    }
  }
  print.insert(print.end(), states.begin(), states.end());
  return print;
}

bool same_fingerprint(std::span<const double> a, std::span<const double> b) {
  const size_t common = std::min(a.size(), b.size());
  if (common < kShort) return false;
  size_t differ = 0;
  for (size_t i = 0; i < common; ++i) {
    const bool same = std::abs(a[i] - b[i]) <= 1e-4;
    const bool must_be_same = i < kHead || i == kShort || i == kShort + 1;
    if (!same && must_be_same) return false;
    differ += !same;
  }
  return differ <= kMayDiffer;
}

}  // namespace penumbra
