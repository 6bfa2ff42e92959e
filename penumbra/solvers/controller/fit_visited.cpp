#include "penumbra/solvers/controller/fit_visited.h"

#include <algorithm>
#include <numeric>

#include "penumbra/solvers/controller/visits.h"

namespace penumbra::controller {

double fit_visited_nodes(const Pomdp& model, const RoundsOptions& options, const Fsc& fsc,
                         int episodes, size_t most_nodes, int max_depth, RngKey key,
                         ThreadPool& pool, Candidates& candidates) {
  const RecordBuffer& pool_states = candidates.pool_states();
  const size_t shared = pool_states.count(), nodes = fsc.num_nodes();
  const Visits visits = collect_visits(model, fsc, episodes, max_depth,
                                       options.backup.training_states, key.fold("visits"), pool);
  std::vector<int> order(nodes);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return visits.count[a] > visits.count[b]; });
  std::vector<char> wanted(nodes, 0);
  for (size_t i = 0; i < std::min(nodes, most_nodes); ++i)
    wanted[order[i]] = visits.states[order[i]].count() > 0;
  std::vector<TrainingSet> own(nodes);
  std::vector<std::vector<float>> pool_returns(nodes);
  std::vector<uint64_t> steps(nodes, 0);
  pool.for_chunks(nodes, 1, [&](size_t n, size_t, size_t) {
    if (!wanted[n]) return;
    // One batch: the states in which the node is executed, then the pool.
    RecordBuffer states(model.state_size());
    states.append(visits.states[n]);
    states.append(pool_states);
    const std::vector<int> node(states.count(), static_cast<int>(n));
    std::vector<uint64_t> ids(states.count());
    std::iota(ids.begin(), ids.end(), uint64_t{0});
    std::vector<float> returns(states.count());
    Rollouts rollouts(model, max_depth);
    rollouts.run(fsc, states, node, ids, key.fold("returns").fold(n), returns);
    steps[n] = rollouts.steps();
    const auto split = returns.end() - static_cast<long>(shared);
    own[n] = {visits.states[n], std::vector<float>(returns.begin(), split)};
    pool_returns[n].assign(split, returns.end());
  });
  for (size_t n = 0; n < nodes; ++n)
    if (own[n].states.count() > 0)
      candidates.add(static_cast<int>(n), own[n], pool_returns[n], key.fold("fit").fold(n), pool);
  return static_cast<double>(std::accumulate(steps.begin(), steps.end(), visits.steps));
}

}  // namespace penumbra::controller
