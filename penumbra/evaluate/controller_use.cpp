#include "penumbra/evaluate/controller_use.h"

#include <algorithm>
#include <deque>

#include "penumbra/evaluate/controller_walk.h"
#include "penumbra/model/action_stock.h"

namespace penumbra {
namespace {

constexpr size_t kBatch = 512;  // episodes in lockstep

void run_batch(const Pomdp& model, const Fsc& fsc, RngKey key, uint64_t first, size_t count,
               int max_steps, ControllerUse& use) {
  // Nodes that an episode has visited already, as (node, episode) pairs to be counted once.
  std::vector<std::pair<int, uint64_t>> met;
  walk_controller(
      model, fsc, key, first, count, max_steps, [](uint64_t, const std::byte*) {},
      [&](const WalkStep& step) {
        ++use.visits[step.node];
        met.emplace_back(step.node, step.episode);
        if (step.ended)
          ++use.ended[step.node];
        else
          ++use.taken[size_t(step.node) * fsc.num_observations + step.seen];
      });
  std::sort(met.begin(), met.end());
  met.erase(std::unique(met.begin(), met.end()), met.end());
  for (const auto& [here, episode] : met) ++use.episodes_with[here];
}

}  // namespace

ControllerUse controller_use(const Pomdp& model, const Fsc& fsc, uint64_t episodes, int max_steps,
                             uint64_t seed, ThreadPool& pool) {
  require(model, Capability::kFiniteObservations, "counting the use of a controller");
  check_fsc(fsc, model.facts());
  if (!model.has(Capability::kFiniteActions))
    return controller_use(ActionStock(model, fsc.action_values), fsc, episodes, max_steps, seed,
                          pool);
  auto empty = [&] {
    ControllerUse use;
    use.visits.resize(fsc.num_nodes());
    use.episodes_with.resize(fsc.num_nodes());
    use.ended.resize(fsc.num_nodes());
    use.taken.resize(fsc.edges.size());
    return use;
  };
  const RngKey key = RngKey::from_seed(seed).fold("evaluate");
  ControllerUse all = empty();
  all.episodes = episodes;
  // A set of counts per thread would be a sum in another order; whole numbers do not mind, but few
  // chunks keep the memory small.
  const size_t chunk = std::max<size_t>(kBatch, (episodes + 15) / 16);
  std::vector<ControllerUse> parts(ThreadPool::num_chunks(episodes, chunk));
  pool.for_chunks(episodes, chunk, [&](size_t index, size_t from, size_t to) {
    parts[index] = empty();
    for (size_t begin = from; begin < to; begin += kBatch)
      run_batch(model, fsc, key, begin, std::min(kBatch, to - begin), max_steps, parts[index]);
  });
  for (const ControllerUse& part : parts) {
    auto add = [](std::vector<uint64_t>& sum, const std::vector<uint64_t>& more) {
      for (size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
    };
    add(all.visits, part.visits);
    add(all.episodes_with, part.episodes_with);
    add(all.ended, part.ended);
    add(all.taken, part.taken);
  }
  return all;
}

std::vector<int> steps_from_start(const Fsc& fsc) {
  std::vector<int> steps(fsc.action.size(), -1);
  if (steps.empty()) return steps;
  std::deque<int> queue = {fsc.start};
  steps[size_t(fsc.start)] = 0;
  while (!queue.empty()) {
    const int node = queue.front();
    queue.pop_front();
    for (int o = 0; o < fsc.num_observations; ++o) {
      const int next = fsc.next(node, o);
      if (steps[size_t(next)] >= 0) continue;
      steps[size_t(next)] = steps[size_t(node)] + 1;
      queue.push_back(next);
    }
  }
  return steps;
}

}  // namespace penumbra
