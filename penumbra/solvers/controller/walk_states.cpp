#include "penumbra/solvers/controller/walk_states.h"

#include <algorithm>
#include <cstring>

#include "penumbra/evaluate/simulate.h"
#include "penumbra/policy/simple.h"

namespace penumbra::controller {

RecordBuffer random_walk_states(const Pomdp& model, size_t count, RngKey root) {
  RecordBuffer out(model.state_size());
  if (count == 0) return out;
  const size_t lanes = std::max<size_t>(8, count / 16);
  RecordBuffer state(model.state_size(), lanes);
  model.sample_initial({root.fold("pool initial")}, state);
  StepBuffers buffers(model, lanes);
  std::vector<int> action(lanes);
  std::vector<uint8_t> ended(lanes, 0);
  model.is_terminal(state, ended);
  for (int t = 0; out.count() < count && t < 100'000; ++t) {
    const RngKey key = root.fold("pool walk").fold(t);
    for (size_t i = 0; i < lanes && out.count() < count; ++i)
      if (!ended[i] && t % 2 == 0) out.push_back(state.at(i));
    for (size_t i = 0; i < lanes; ++i)
      action[i] = static_cast<int>(Rng(key.fold("a"), i).below(model.facts().num_actions));
    const StepResults results = buffers.results(lanes);
    model.step(state, std::span<const int>(action), {key}, results);
    std::memcpy(state.view().data, results.next.data, lanes * model.state_size());
    std::copy(results.ended.begin(), results.ended.end(), ended.begin());
    if (std::all_of(ended.begin(), ended.end(), [](uint8_t e) { return e != 0; })) {
      model.sample_initial({root.fold("pool initial").fold(t)}, state);
      model.is_terminal(state, ended);
    }
  }
  return out;
}

bool never_ends(const Pomdp& model, int depth, RngKey key) {
  constexpr size_t kEpisodes = 64;
  std::vector<double> returns(kEpisodes);
  auto ends = [&](const Policy& policy) {
    return simulate(model, policy, {key, 0, kEpisodes, depth}, returns).truncated < kEpisodes;
  };
  bool any = ends(RandomPolicy(model));
  for (int a = 0; !any && a < model.facts().num_actions; ++a) any = ends(BlindPolicy(model, a));
  return !any;
}

}  // namespace penumbra::controller
