#include "penumbra/bounds/table_mdp_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "penumbra/base/error.h"

namespace penumbra {
namespace {

constexpr size_t kGrain = 2048;  // states of a chunk
constexpr int kMaxSweeps = 100'000;

double backup(const Tabular& t, int state, const std::vector<double>& values) {
  double best = -HUGE_VAL;
  for (int a = 0; a < t.num_actions; ++a) {
    double expected = 0;
    for (const SparseRows::Entry& e : t.transition[a].row(state))
      expected += e.value * values[e.column];
    best = std::max(best, t.reward[a][state] + t.discount * expected);
  }
  return best;
}

}  // namespace

std::vector<double> table_values(const Tabular& table, double tolerance, ThreadPool& pool,
                                 const Stop& stop) {
  const size_t n = table.num_states;
  std::vector<double> values(n, 0.0), next(n, 0.0);
  struct Change {
    double rise, size;
  };
  std::vector<Change> changes(ThreadPool::num_chunks(n, kGrain));
  auto is_terminal = [&](size_t s) { return !table.terminal.empty() && table.terminal[s]; };
  // Of V = 0, in case that not even one sweep is done.
  double best = 0;
  for (const std::vector<double>& rewards : table.reward)
    for (double r : rewards) best = std::max(best, r);
  const double most = best / (1 - table.discount);  // the best reward for ever
  double margin = most;
  std::atomic<bool> stopped = false;
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    pool.for_chunks(n, kGrain, [&](size_t chunk, size_t begin, size_t end) {
      Change change{-HUGE_VAL, 0};
      if (stopped || asked_to_stop(stop)) {
        stopped = true;
        return;
      }
      for (size_t s = begin; s < end; ++s) {
        if (is_terminal(s)) continue;
        next[s] = backup(table, static_cast<int>(s), values);
        change.rise = std::max(change.rise, next[s] - values[s]);
        change.size = std::max(change.size, std::abs(next[s] - values[s]));
      }
      changes[chunk] = change;
    });
    if (stopped) break;  // what the last sweep left is a whole iterate
    double rise = 0, size = 0;
    for (const Change& c : changes) rise = std::max(rise, c.rise), size = std::max(size, c.size);
    // The bound holds for `values`; one more backup of it is no lower than the optimum either, and
    // T V - V shrinks by the discount with every backup.
    std::swap(values, next);
    margin = table.discount * rise / (1 - table.discount);
    if (size <= tolerance * (1 - table.discount)) break;
  }
  // Rounding is far below the last term.
  double scale = 0;
  for (double v : values) scale = std::max(scale, std::abs(v));
  margin += 1e-12 * scale;
  for (size_t s = 0; s < n; ++s)
    if (!is_terminal(s))
      values[s] = stopped ? std::min(values[s] + margin, most) : values[s] + margin;
  return values;
}

Tabular checked_table(const Pomdp& model, int max_states, const std::string& source) {
  require(model, Capability::kTable, fmt::format("mdp source '{}'", source));
  Tabular table = model.table();
  if (table.num_states > max_states)
    throw Error(fmt::format(
        "mdp source '{}': {} has {} states and table_states is {}; raise it, or use 'fitted'",
        source, model.facts().name, table.num_states, max_states));
  return table;
}

TableMdpValue::TableMdpValue(const Pomdp& model, int max_states, ThreadPool& pool, const Stop& stop)
    : TableMdpValue(model, checked_table(model, max_states, "table"), pool, stop) {}

TableMdpValue::TableMdpValue(const Pomdp& model, const Tabular& table, ThreadPool& pool,
                             const Stop& stop)
    : model_(model) {
  const Facts& facts = model.facts();
  const double range = std::max({std::abs(facts.min_reward), std::abs(facts.max_reward), 1e-3});
  values_ = table_values(table, 1e-7 * range, pool, stop);
  for (int s = 0; s < table.num_states; ++s) start_value_ += table.start[s] * values_[s];
}

void TableMdpValue::value(ConstRecords state, std::span<double> out) const {
  constexpr size_t kBlock = 256;
  int index[kBlock];
  for (size_t begin = 0; begin < state.count; begin += kBlock) {
    const size_t n = std::min(kBlock, state.count - begin);
    model_.state_index(state.sub(begin, n), {index, n});
    for (size_t i = 0; i < n; ++i) out[begin + i] = values_[index[i]];
  }
}

}  // namespace penumbra
