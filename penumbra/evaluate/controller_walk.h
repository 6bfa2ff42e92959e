// Episodes of a controller in lockstep, told step by step to whoever wants to count or keep
// something of them. Not for scores: simulate.h makes those.
#pragma once

#include <vector>

#include "penumbra/model/pomdp.h"
#include "penumbra/policy/fsc.h"

namespace penumbra {

// One step of one episode.
struct WalkStep {
  uint64_t episode;
  int t, node, seen;
  bool ended;
  const std::byte* next;  // the state that it led to
};

// Episodes first, first + 1, ... of `evaluate` with this key. The model has finite actions and
// observations. begin(episode, state) tells where each starts that does not end at once.
template <class Begin, class Visit>
void walk_controller(const Pomdp& model, const Fsc& fsc, RngKey key, uint64_t first, size_t count,
                     int max_steps, const Begin& begin, const Visit& visit) {
  RecordBuffer state(model.state_size(), count);
  StepBuffers buffers(model, count);
  std::vector<int> node(count, fsc.start), action(count);
  std::vector<uint8_t> ended(count);
  std::vector<uint64_t> lane(count);
  model.sample_initial({key.fold("initial"), first}, state);
  model.is_terminal(state, ended);
  size_t live = 0;
  auto keep = [&](uint64_t episode, const std::byte* from, int next) {
    std::memmove(state.at(live), from, model.state_size());
    node[live] = next;
    lane[live++] = episode;
  };
  for (size_t i = 0; i < count; ++i) {
    if (ended[i]) continue;
    begin(first + i, state.at(i));
    keep(first + i, state.at(i), fsc.start);
  }
  for (int t = 0; t < max_steps && live > 0; ++t) {
    const size_t n = live;
    for (size_t i = 0; i < n; ++i) action[i] = fsc.action[node[i]];
    const StepResults out = buffers.results(n);
    model.step(state.sub(0, n), std::span<const int>(action.data(), n),
               {key.fold("step").fold(t), 0, lane.data()}, out);
    live = 0;
    for (size_t i = 0; i < n; ++i) {
      const int here = node[i], seen = index_of(out.seen, i);
      visit(WalkStep{lane[i], t, here, seen, out.ended[i] != 0, out.next.at(i)});
      if (!out.ended[i]) keep(lane[i], out.next.at(i), fsc.next(here, seen));
    }
  }
}

}  // namespace penumbra
