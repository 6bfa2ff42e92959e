#include "penumbra/model/fingerprint.h"

#include <algorithm>
#include <cmath>

namespace penumbra {

// [discount, actions, observations], then observation and reward of every lane at every depth.
std::vector<double> fingerprint(const Pomdp& model) {
  require(model, Capability::kFiniteActions, "a fingerprint");
  constexpr size_t kLanes = 64;
  constexpr int kDepth = 6;
  const Facts& facts = model.facts();
  const RngKey root = RngKey::from_seed(0).fold("fingerprint");
  RecordBuffer state(model.state_size(), kLanes);
  model.sample_initial({root}, state);
  StepBuffers buffers(model, kLanes);
  std::vector<int> action(kLanes);
  std::vector<double> print = {facts.discount, double(facts.num_actions),
                               double(facts.num_observations)};
  const double scale = std::max({1e-9, std::abs(facts.min_reward), std::abs(facts.max_reward)});
  for (int t = 0; t < kDepth; ++t) {
    const RngKey key = root.fold(t);
    for (size_t i = 0; i < kLanes; ++i)
      action[i] = static_cast<int>(Rng(key.fold("action"), i).below(facts.num_actions));
    const StepResults out = buffers.results(kLanes);
    model.step(state, std::span<const int>(action), {key.fold("step")}, out);
    std::memcpy(state.view().data, out.next.data, kLanes * model.state_size());
    for (size_t i = 0; i < kLanes; ++i) {
      print.push_back(facts.num_observations > 0 ? double(index_of(out.seen, i))
                                                 : double(out.seen.as<float>(i)));
      print.push_back(out.reward[i] / scale);
    }
  }
  return print;
}

bool same_fingerprint(std::span<const double> a, std::span<const double> b) {
  constexpr size_t kHead = 3;
  if (a.size() != b.size() || a.size() < kHead) return false;
  size_t differ = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const bool same = std::abs(a[i] - b[i]) <= 1e-4;
    if (!same && i < kHead) return false;
    differ += !same;
  }
  return differ <= a.size() / 200;  // a few lanes may round to another observation elsewhere
}

}  // namespace penumbra
