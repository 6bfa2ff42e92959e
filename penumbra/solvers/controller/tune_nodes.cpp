#include "penumbra/solvers/controller/tune_nodes.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "penumbra/solvers/controller/visits.h"

namespace penumbra::controller {
namespace {

constexpr size_t kLeastStates = 256;  // fewer visits say too little about a node

// Draws up to `most` nodes without replacement, by number of visits, those often visited first.
std::vector<int> draw_nodes(const Visits& visits, size_t most, RngKey key) {
  std::vector<std::pair<double, int>> order;
  for (size_t n = 0; n < visits.states.size(); ++n) {
    if (visits.states[n].count() < kLeastStates) continue;
    order.emplace_back(std::log(1 - Rng(key, n).uniform()) / visits.count[n], static_cast<int>(n));
  }
  std::sort(order.begin(), order.end(), std::greater<>());
  if (order.size() > most) order.resize(most);
  std::vector<int> nodes;
  for (const auto& [rank, node] : order) nodes.push_back(node);
  return nodes;
}

// Shares out the states that there are.
BackupOptions sized(BackupOptions o, size_t states) {
  o.choose = static_cast<int>(states * 3 / 8);
  o.choose_per_seen = 0;
  o.check = static_cast<int>(states / 8);
  o.score = static_cast<int>(states / 2);
  return o;
}

struct Change {
  bool wanted = false;
  int action = -1;
  std::vector<int> successor{};
  Work work{};
};

}  // namespace

TuneReport tune_nodes(const Pomdp& model, const RoundsOptions& options,
                      const Candidates& candidates, int max_depth, Fsc& fsc, RngKey key,
                      ThreadPool& pool, const Stop& stop) {
  const Visits visits = collect_visits(model, fsc, options.tune_episodes, max_depth,
                                       options.tune_states, key.fold("visits"), pool);
  const std::vector<int> nodes = draw_nodes(visits, options.tune_nodes, key.fold("draw"));
  std::vector<Change> changes(nodes.size());
  std::vector<int> actions(model.facts().num_actions);
  std::iota(actions.begin(), actions.end(), 0);
  std::atomic<bool> stopped = false;
  pool.for_chunks(nodes.size(), 1, [&](size_t i, size_t, size_t) {
    if (stopped || (stop && stop())) {
      stopped = true;
      return;
    }
    const int node = nodes[i];
    Change& change = changes[i];
    Fsc trial = fsc;
    Rollouts rollouts(model, max_depth);
    VerifiedBackup backup(model, sized(options.backup, visits.states[node].count()), candidates,
                          rollouts);
    const BackupResult r = backup.run(trial, visits.states[node], node, actions, {}, options.tune_z,
                                      key.fold("node").fold(node));
    change.work = backup.work();
    change.work.simulator_steps += static_cast<double>(rollouts.steps());
    if (r.node == node || !(r.gain > options.tune_z * r.gain_error)) return;
    change.wanted = true;
    change.action = trial.action[r.node];
    for (int o = 0; o < fsc.num_observations; ++o)
      change.successor.push_back(trial.next(r.node, o));
  });
  TuneReport report;
  if ((report.stopped = stopped)) return report;
  report.work.simulator_steps = static_cast<double>(visits.steps);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Change& change = changes[i];
    ++report.backups;
    report.work += change.work;
    if (!change.wanted) continue;
    ++report.changed;
    fsc.action[nodes[i]] = change.action;
    for (int o = 0; o < fsc.num_observations; ++o) fsc.set_edge(nodes[i], o, change.successor[o]);
  }
  return report;
}

}  // namespace penumbra::controller
