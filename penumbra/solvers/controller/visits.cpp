#include "penumbra/solvers/controller/visits.h"

#include <algorithm>
#include <cmath>

namespace penumbra::controller {
namespace {

constexpr size_t kChunk = 512;  // episodes in lockstep

struct Log {
  RecordBuffer states;
  std::vector<int> node;
  uint64_t steps = 0;
};

void run_chunk(const Pomdp& model, const Fsc& fsc, size_t begin, size_t end, int max_depth,
               RngKey key, Log& log) {
  size_t live = end - begin;
  RecordBuffer state(model.state_size(), live);
  model.sample_initial({key.fold("visit initial"), begin}, state);
  std::vector<uint64_t> id(live);
  std::vector<int> node(live, fsc.start), action(live);
  for (size_t i = 0; i < live; ++i) id[i] = begin + i;
  StepBuffers buffers(model, live);
  double discount = 1;
  for (int t = 0; t < max_depth && live > 0; ++t, discount *= model.facts().discount) {
    const RngKey keep = key.fold("visit keep").fold(t);
    for (size_t i = 0; i < live; ++i) {
      action[i] = fsc.action[node[i]];
      if (Rng(keep, id[i]).uniform() >= discount) continue;
      log.states.push_back(state.at(i));
      log.node.push_back(node[i]);
    }
    const StepResults out = buffers.results(live);
    model.step(state.sub(0, live), std::span<const int>(action.data(), live),
               {key.fold("visit step").fold(t), 0, id.data()}, out);
    log.steps += live;
    size_t kept = 0;
    for (size_t i = 0; i < live; ++i) {
      if (out.ended[i]) continue;
      state.copy_from(kept, out.next.at(i));
      node[kept] = fsc.next(node[i], index_of(out.seen, i));
      id[kept++] = id[i];
    }
    live = kept;
  }
}

}  // namespace

Visits collect_visits(const Pomdp& model, const Fsc& fsc, int episodes, int max_depth,
                      size_t most_per_node, RngKey key, ThreadPool& pool) {
  const size_t count = episodes;
  std::vector<Log> logs(ThreadPool::num_chunks(count, kChunk));
  for (Log& log : logs) log.states = RecordBuffer(model.state_size());
  pool.for_chunks(count, kChunk, [&](size_t chunk, size_t begin, size_t end) {
    run_chunk(model, fsc, begin, end, max_depth, key, logs[chunk]);
  });
  Visits visits;
  visits.count.assign(fsc.num_nodes(), 0);
  visits.states.assign(fsc.num_nodes(), RecordBuffer(model.state_size()));
  Rng rng(key.fold("visit shuffle"), 0);
  for (const Log& log : logs) {
    visits.steps += log.steps;
    for (size_t i = 0; i < log.node.size(); ++i) {
      // Reservoir sampling, and a random place: the states end up in random order.
      RecordBuffer& states = visits.states[log.node[i]];
      const double seen = ++visits.count[log.node[i]];
      if (states.count() < most_per_node) {
        states.push_back(log.states.at(i));
        const size_t last = states.count() - 1, other = rng.below(static_cast<uint32_t>(last + 1));
        if (other == last) continue;
        states.copy_from(last, states.at(other));
        states.copy_from(other, log.states.at(i));
      } else if (rng.uniform() * seen < static_cast<double>(most_per_node)) {
        states.copy_from(rng.below(static_cast<uint32_t>(most_per_node)), log.states.at(i));
      }
    }
  }
  return visits;
}

}  // namespace penumbra::controller
