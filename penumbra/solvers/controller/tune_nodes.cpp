#include "penumbra/solvers/controller/tune_nodes.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <optional>

#include "penumbra/base/share_out.h"
#include "penumbra/solvers/controller/action_proposals.h"
#include "penumbra/solvers/controller/visits.h"

namespace penumbra::controller {
namespace {

constexpr size_t kLeastStates = 256;  // fewer visits say too little about a node
constexpr int kTuneActions = 4;       // of a box that a node tries

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
  bool stopped = false, wanted = false;
  int action = -1;
  std::vector<float> real{};  // of a box of actions: the action
  std::vector<int> successor{};
  Work work{};

  template <class Archive>
  void archive(Archive& a) {
    a(stopped, wanted, action, real, successor, work);
  }
};

}  // namespace

TuneReport tune_nodes(const Pomdp& model, const RoundsOptions& options,
                      const Candidates& candidates, int max_depth, Fsc& fsc, RngKey key,
                      ThreadPool& pool, const Stop& stop, ActionStock* stock) {
  const Visits visits = collect_visits(model, fsc, options.tune_episodes, max_depth,
                                       options.tune_states, key.fold("visits"), pool);
  const std::vector<int> nodes = draw_nodes(visits, options.tune_nodes, key.fold("draw"));
  std::vector<int> all(model.facts().num_actions);
  std::iota(all.begin(), all.end(), 0);
  std::atomic<bool> stopped = false;
  const auto changes = share_out<Change>(pool, nodes.size(), [&](size_t i) {
    Change change;
    if (stopped || (stop && stop())) {
      stopped = change.stopped = true;
      return change;
    }
    const int node = nodes[i];
    Fsc trial = fsc;
    std::optional<ActionStock> own;
    if (stock) own.emplace(*stock);
    const Pomdp& seen_model = own ? static_cast<const Pomdp&>(*own) : model;
    const std::vector<int> actions =
        own ? proposed_actions(*own, fsc, {fsc.action[node]}, kTuneActions,
                               key.fold("actions").fold(node))
            : all;
    Rollouts rollouts(seen_model, max_depth);
    VerifiedBackup backup(seen_model, sized(options.backup, visits.states[node].count()),
                          candidates, rollouts, own ? &*own : nullptr);
    const BackupResult r = backup.run(trial, visits.states[node], node, actions, {}, options.tune_z,
                                      key.fold("node").fold(node));
    change.work = backup.work();
    change.work.simulator_steps += static_cast<double>(rollouts.steps());
    if (r.node == node || !(r.gain > options.tune_z * r.gain_error)) return change;
    change.wanted = true;
    change.action = trial.action[r.node];
    if (own) change.real.assign(own->row(change.action).begin(), own->row(change.action).end());
    for (int o = 0; o < fsc.num_observations; ++o)
      change.successor.push_back(trial.next(r.node, o));
    return change;
  });
  TuneReport report;
  for (const Change& change : changes) report.stopped = report.stopped || change.stopped;
  if (report.stopped) return report;
  report.work.simulator_steps = static_cast<double>(visits.steps);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Change& change = changes[i];
    ++report.backups;
    report.work += change.work;
    if (!change.wanted) continue;
    ++report.changed;
    fsc.action[nodes[i]] = stock ? stock->add(change.real) : change.action;
    for (int o = 0; o < fsc.num_observations; ++o) fsc.set_edge(nodes[i], o, change.successor[o]);
  }
  return report;
}

}  // namespace penumbra::controller
