#include "penumbra/solvers/controller/fit_visited.h"

#include <algorithm>
#include <numeric>

#include "penumbra/base/share_out.h"
#include "penumbra/solvers/controller/visits.h"

namespace penumbra::controller {
namespace {

struct Visited {
  FittedNode node;
  uint64_t steps = 0;
  bool abandoned = false;

  template <class Archive>
  void archive(Archive& a) {
    a(node, steps, abandoned);
  }
};

}  // namespace

std::optional<double> fit_visited_nodes(const Pomdp& model, const RoundsOptions& options,
                                        const Fsc& fsc, int episodes, size_t most_nodes,
                                        int max_depth, RngKey key, ThreadPool& pool,
                                        const Stop& stop, Candidates& candidates) {
  const RecordBuffer& pool_states = candidates.pool_states();
  const size_t nodes = fsc.num_nodes();
  const Visits visits = collect_visits(model, fsc, episodes, max_depth,
                                       options.backup.training_states, key.fold("visits"), pool);
  std::vector<int> order(nodes);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return visits.count[a] > visits.count[b]; });
  order.resize(std::min(nodes, most_nodes));
  std::erase_if(order, [&](int n) { return visits.states[n].count() == 0; });
  std::sort(order.begin(), order.end());
  const auto fitted = share_out<Visited>(pool, order.size(), [&](size_t i) {
    if (asked_to_stop(stop)) return Visited{{}, 0, true};
    const int n = order[i];
    // One batch: the states in which the node is executed, then the pool.
    RecordBuffer states(model.state_size());
    states.append(visits.states[n]);
    states.append(pool_states);
    const std::vector<int> node(states.count(), n);
    std::vector<uint64_t> ids(states.count());
    std::iota(ids.begin(), ids.end(), uint64_t{0});
    std::vector<float> returns(states.count());
    Rollouts rollouts(model, max_depth);
    rollouts.run(fsc, states, node, ids, key.fold("returns").fold(n), returns);
    const auto split = returns.end() - static_cast<long>(pool_states.count());
    const TrainingSet own{visits.states[n], std::vector<float>(returns.begin(), split)};
    const std::vector<float> shared(split, returns.end());
    return Visited{candidates.fit(own, shared, key.fold("fit").fold(n), nullptr), rollouts.steps()};
  });
  if (std::any_of(fitted.begin(), fitted.end(), [](const Visited& v) { return v.abandoned; }))
    return std::nullopt;
  uint64_t steps = visits.steps;
  for (size_t i = 0; i < order.size(); ++i) {
    candidates.insert(order[i], fitted[i].node);
    steps += fitted[i].steps;
  }
  return static_cast<double>(steps);
}

}  // namespace penumbra::controller
