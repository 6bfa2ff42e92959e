#include "penumbra/evaluate/controller_visits.h"

#include <algorithm>
#include <deque>

#include "penumbra/evaluate/simulate.h"

namespace penumbra {
namespace {

constexpr size_t kBatch = 1024;

// Plays a controller and counts; of one thread.
class CountingPolicy final : public Policy {
 public:
  CountingPolicy(const FscPolicy& inner, std::vector<uint64_t>& edge)
      : inner_(inner), edge_(edge) {}
  std::string describe() const override { return inner_.describe(); }
  size_t memory_size() const override { return inner_.memory_size(); }
  void start(Streams streams, Records memory) const override { inner_.start(streams, memory); }
  void act(Records memory, Streams streams, Records action) const override {
    inner_.act(memory, streams, action);
  }
  void observe(Records memory, ConstRecords action, ConstRecords seen,
               Streams streams) const override {
    for (size_t i = 0; i < memory.count; ++i)
      ++edge_[size_t(memory.as<int32_t>(i)) * size_t(inner_.fsc().num_observations) +
              size_t(index_of(seen, i))];
    inner_.observe(memory, action, seen, streams);
  }

 private:
  const FscPolicy& inner_;
  std::vector<uint64_t>& edge_;
};

}  // namespace

ControllerVisits count_visits(const Pomdp& model, const Fsc& fsc, uint64_t episodes, uint64_t seed,
                              ThreadPool& pool) {
  const FscPolicy policy(fsc, model.facts());
  const RngKey key = RngKey::from_seed(seed).fold("evaluate");
  const int max_steps = horizon_for(model.facts(), 1e-3);
  ControllerVisits out;
  out.episodes = episodes;
  out.edge.assign(fsc.edges.size(), 0);
  out.node.assign(fsc.action.size(), 0);
  // One table of counts per worker's turn: as many as there are threads at a time.
  const uint64_t round = kBatch * static_cast<uint64_t>(pool.num_threads());
  for (uint64_t begin = 0; begin < episodes; begin += round) {
    const uint64_t count = std::min(round, episodes - begin);
    std::vector<std::vector<uint64_t>> edges(ThreadPool::num_chunks(count, kBatch));
    pool.for_chunks(count, kBatch, [&](size_t chunk, size_t from, size_t to) {
      edges[chunk].assign(fsc.edges.size(), 0);
      std::vector<double> returns(to - from);
      simulate(model, CountingPolicy(policy, edges[chunk]),
               {key, begin + from, to - from, max_steps}, returns);
    });
    for (const std::vector<uint64_t>& some : edges)
      for (size_t e = 0; e < some.size(); ++e) out.edge[e] += some[e];
  }
  for (size_t e = 0; e < out.edge.size(); ++e) {
    out.node[e / size_t(fsc.num_observations)] += out.edge[e];
    out.steps += out.edge[e];
  }
  return out;
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
