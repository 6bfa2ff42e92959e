#include "penumbra/bounds/action_study.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace penumbra {

int effective_horizon(const Facts& facts) {
  if (facts.discount <= 0) return 1;
  return std::clamp(static_cast<int>(std::log(0.01) / std::log(facts.discount)) + 1, 1, 500);
}

RecordBuffer walk_states(const Pomdp& model, int count, RngKey key, ThreadPool& pool,
                         const Stop& stop) {
  constexpr double kTurn = 0.2;  // chance of another action at each step
  RecordBuffer states(model.state_size(), count);
  const auto num_actions = static_cast<uint32_t>(model.facts().num_actions);
  const double discount = std::max(model.facts().discount, 1e-6);
  const int horizon = effective_horizon(model.facts());
  pool.for_chunks(count, 256, [&](size_t, size_t begin, size_t end) {
    const size_t n = end - begin;
    const Records mine = states.sub(begin, n);
    model.sample_initial({key.fold("b0"), begin}, mine);
    StepBuffers buffers(model, n);
    const StepResults out = buffers.results(n);
    std::vector<Rng> rng;
    std::vector<int> action(n), left(n);
    for (size_t i = 0; i < n; ++i) {
      rng.emplace_back(key.fold("walk"), begin + i);
      const double length = std::log(1 - rng[i].uniform()) / std::log(discount);
      left[i] = static_cast<int>(std::min<double>(length, horizon));
      action[i] = static_cast<int>(rng[i].below(num_actions));
    }
    const int most = *std::max_element(left.begin(), left.end());
    for (int t = 0; t < most && !asked_to_stop(stop); ++t) {
      model.step(mine, action, {key.fold("step").fold(t), begin}, out);
      for (size_t i = 0; i < n; ++i) {
        if (left[i]-- <= 0) continue;
        const bool stuck = out.ended[i] || std::memcmp(mine.at(i), out.next.at(i), mine.size) == 0;
        if (!out.ended[i]) std::memcpy(mine.at(i), out.next.at(i), mine.size);
        if (stuck || rng[i].bernoulli(kTurn))
          action[i] = static_cast<int>(rng[i].below(num_actions));
      }
    }
  });
  return states;
}

ActionStudy study_actions(const Pomdp& model, RngKey key, ThreadPool& pool, const Stop& stop) {
  constexpr int kStates = 8192;
  const RecordBuffer states = walk_states(model, kStates, key.fold("pilot"), pool, stop);
  ActionStudy study;
  std::vector<StepBuffers> kept;
  auto covers = [](const StepBuffers& a, const StepBuffers& b) {
    return a.next == b.next && std::equal(a.reward.begin(), a.reward.end(), b.reward.begin(),
                                          [](float x, float y) { return x >= y; });
  };
  for (int a = 0; a < model.facts().num_actions; ++a) {
    if (asked_to_stop(stop)) {
      const size_t actions = model.facts().num_actions;
      study.actions.resize(actions);
      std::iota(study.actions.begin(), study.actions.end(), 0);
      study.random.assign(actions, 1);
      return study;
    }
    StepBuffers once(model, kStates), again(model, kStates);
    const std::vector<int> action(kStates, a);
    model.step(states, action, {key.fold("once").fold(a)}, once.results(kStates));
    model.step(states, action, {key.fold("again").fold(a)}, again.results(kStates));
    study.random.push_back(once.next != again.next || once.reward != again.reward);
    if (!study.random[a] && std::any_of(kept.begin(), kept.end(),
                                        [&](const StepBuffers& k) { return covers(k, once); }))
      continue;
    study.actions.push_back(a);
    kept.push_back(std::move(once));
  }
  return study;
}

}  // namespace penumbra
