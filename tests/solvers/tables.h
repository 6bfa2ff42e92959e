// Tables for the solvers of explicit models, and what a short run makes of them.
#pragma once

#include "domains/registry.h"
#include "penumbra/model/tabular_pomdp.h"
#include "penumbra/solvers/registry.h"

namespace penumbra {

inline Tabular tiger_table() {
  return load_domain("tiger")->table();
}
inline Tabular rock_table(const std::string& map = "4-4") {
  return load_domain("rock-sample(map=" + map + ",rules=classic)")->table();
}

// Until the gap, at most `backups`: no clock, so the same on every machine.
inline Solution solve_table(const std::string& solver, const Tabular& table, double gap,
                            uint64_t backups = 20'000) {
  ThreadPool pool(1);
  Limits limits;
  limits.seconds = 0;
  limits.gap = gap;
  limits.backups = backups;
  const std::unique_ptr<Pomdp> model = tabular_pomdp(table);
  return make_solver(solver)->solve(*model, limits, 1, pool, [](const SolveProgress&) {});
}

// The table with state s called order[s].
inline Tabular renamed_states(const Tabular& t, const std::vector<int>& order) {
  Tabular out = t;
  std::vector<int> old(order.size());
  for (size_t s = 0; s < order.size(); ++s) old[order[s]] = static_cast<int>(s);
  for (int a = 0; a < t.num_actions; ++a) {
    out.transition[a] = out.observation[a] = {};
    for (int s = 0; s < t.num_states; ++s) {
      for (const auto& e : t.transition[a].row(old[s]))
        out.transition[a].add(order[e.column], e.value);
      for (const auto& e : t.observation[a].row(old[s])) out.observation[a].add(e.column, e.value);
      out.transition[a].end_row();
      out.observation[a].end_row();
      out.reward[a][s] = t.reward[a][old[s]];
    }
  }
  out.state_names.clear();
  out.variables.clear();
  for (int s = 0; s < t.num_states; ++s) {
    out.start[s] = t.start[old[s]];
    out.terminal[s] = t.terminal[old[s]];
    if (!t.visible.empty()) out.visible[s] = t.visible[old[s]];
  }
  return out;
}

}  // namespace penumbra
