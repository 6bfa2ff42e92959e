#include "penumbra/model/fingerprint.h"

#include <algorithm>
#include <cmath>

namespace penumbra {

std::vector<double> fingerprint(const Pomdp& model) {
  require(model, Capability::kFiniteActions | Capability::kFiniteObservations, "a fingerprint");
  constexpr size_t kLanes = 1024;
  constexpr int kDepth = 16;
  const Facts& facts = model.facts();
  const RngKey root = RngKey::from_seed(0).fold("fingerprint");
  RecordBuffer state(model.state_size(), kLanes);
  model.sample_initial({root}, state);
  std::vector<double> reward(facts.num_actions, 0.0), seen(facts.num_actions, 0.0);
  StepBuffers buffers(model, kLanes);
  std::vector<int> action(kLanes);
  double ended = 0;
  for (int t = 0; t < kDepth; ++t) {
    const RngKey key = root.fold(t);
    for (int a = 0; a < facts.num_actions; ++a) {
      std::fill(action.begin(), action.end(), a);
      const StepResults out = buffers.results(kLanes);
      model.step(state, std::span<const int>(action), {key.fold(a)}, out);
      for (size_t i = 0; i < kLanes; ++i) {
        reward[a] += out.reward[i];
        seen[a] += index_of(out.seen, i);
      }
    }
    for (size_t i = 0; i < kLanes; ++i)
      action[i] = static_cast<int>(Rng(key.fold("walk"), i).below(facts.num_actions));
    const StepResults out = buffers.results(kLanes);
    model.step(state, std::span<const int>(action), {key.fold("step")}, out);
    std::memcpy(state.view().data, out.next.data, kLanes * model.state_size());
    for (uint8_t e : out.ended) ended += e;
  }
  std::vector<double> print = {facts.discount, double(facts.num_actions),
                               double(facts.num_observations), ended / (kLanes * kDepth)};
  const double scale = std::max({1e-9, std::abs(facts.min_reward), std::abs(facts.max_reward)});
  for (double r : reward) print.push_back(r / (scale * kLanes * kDepth));
  for (double s : seen) print.push_back(s / (facts.num_observations * double(kLanes) * kDepth));
  return print;
}

bool same_fingerprint(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= 1e-3)) return false;
  return true;
}

}  // namespace penumbra
