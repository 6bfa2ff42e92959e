#include "penumbra/solvers/nvi/local_model.h"

#include <algorithm>

namespace penumbra::nvi {

LocalModel::LocalModel(const Pomdp& model, const SampleModel& samples, ConstRecords states,
                       std::span<const double> weights, RngKey key)
    : width_(samples.width()),
      weight_(weights.begin(), weights.end()),
      after_(samples.num_actions()) {
  const size_t n = states.count;
  const int observations = samples.num_observations();
  describe(model, samples, states, category_, u_);
  const bool all_known =
      std::all_of(category_.begin(), category_.end(), [](int c) { return c >= 0; });
  StepBuffers buffers(model, n);
  std::vector<double> likelihood(n);
  for (int a = 0; a < samples.num_actions(); ++a) {
    After& after = after_[a];
    const StepResults out = buffers.results(n);
    ConstRecords next = out.next;
    if ((after.same = samples.only_looks(a) && all_known)) {
      next = states;
      for (int c : category_) after.reward.push_back(samples.next(a, c, 0).reward);
      std::fill(out.ended.begin(), out.ended.end(), 0);
    } else {
      model.step(states, std::vector<int>(n, a), {key.fold(a)}, out);
      after.reward.assign(out.reward.begin(), out.reward.end());
    }
    if (after.same)
      after.category = category_;
    else
      describe(model, samples, next, after.category, after.u);
    for (size_t m = 0; m < n; ++m)
      if (out.ended[m]) after.category[m] = SampleModel::kEnded;
    after.chance.assign(n * observations, 0.0f);
    if (!samples.uses_likelihood()) {
      for (size_t m = 0; m < n; ++m) after.chance[index_of(out.seen, m) * n + m] = 1;
      continue;
    }
    for (int o = 0; o < observations; ++o) {
      model.likelihood(reinterpret_cast<const std::byte*>(&o),
                       reinterpret_cast<const std::byte*>(&a), next, likelihood);
      std::copy(likelihood.begin(), likelihood.end(), after.chance.begin() + long(o * n));
    }
  }
}

void LocalModel::describe(const Pomdp& model, const SampleModel& samples, ConstRecords states,
                          std::vector<int>& category, std::vector<float>& u) const {
  FeatureBatch batch(model.features(), static_cast<int>(states.count));
  model.encode(states, batch, 0);
  category.resize(states.count);
  u.resize(states.count * width_);
  for (size_t m = 0; m < states.count; ++m)
    category[m] = samples.describe(batch, static_cast<int>(m),
                                   std::span<float>(u).subspan(m * width_, width_));
}

float LocalModel::unknown(int action) const {
  float sum = 0;
  for (size_t m = 0; m < count(); ++m)
    if (next_category(action, m) == SampleModel::kUnknown) sum += weight_[m];
  return sum;
}

BeliefMoments LocalModel::after(int action, int o) const {
  BeliefMoments belief;
  std::vector<BeliefMoments::Part>& parts = belief.parts;
  const float* chance = chances(action, o);
  size_t p = 0;  // neighbours are mostly of the same category
  for (size_t m = 0; m < count(); ++m) {
    const int category = next_category(action, m);
    if (chance[m] <= 0 || category < 0) continue;
    if (p >= parts.size() || parts[p].category != category) {
      p = 0;
      while (p < parts.size() && parts[p].category != category) ++p;
      if (p == parts.size()) parts.push_back({category, std::vector<float>(width_, 0.0f)});
    }
    const float weight = weight_[m] * chance[m];
    const float* u = next_u(action, m);
    float* sum = parts[p].u.data();
    for (int d = 0; d < width_; ++d) sum[d] += weight * u[d];
  }
  return belief;
}

}  // namespace penumbra::nvi
