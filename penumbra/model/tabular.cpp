#include "penumbra/model/tabular.h"

#include <fmt/format.h>

#include <cmath>

#include "penumbra/base/error.h"

namespace penumbra {
namespace {

void check_rows(const SparseRows& rows, int num_rows, int num_columns, double tolerance,
                const std::string& what) {
  if (rows.num_rows() != num_rows)
    throw Error(fmt::format("{}: {} rows, {} expected", what, rows.num_rows(), num_rows));
  for (int r = 0; r < num_rows; ++r) {
    double sum = 0;
    for (const auto& entry : rows.row(r)) {
      if (entry.column < 0 || entry.column >= num_columns)
        throw Error(fmt::format("{}, row {}: column {} is out of range", what, r, entry.column));
      if (!(entry.value >= 0 && entry.value <= 1 + tolerance))
        throw Error(fmt::format("{}, row {}, column {}: {} is not a probability", what, r,
                                entry.column, entry.value));
      sum += entry.value;
    }
    if (!(std::abs(sum - 1) <= tolerance))
      throw Error(fmt::format("{}, row {}: probabilities sum to {}, not 1", what, r, sum));
  }
}

}  // namespace

void check_tabular(const Tabular& m, double tolerance) {
  if (m.num_states < 1 || m.num_actions < 1 || m.num_observations < 1)
    throw Error(m.name + ": a model needs at least one state, action and observation");
  if (!(m.discount >= 0 && m.discount < 1))
    throw Error(fmt::format("{}: the discount {} is not in [0, 1)", m.name, m.discount));
  if (m.transition.size() != m.num_actions || m.observation.size() != m.num_actions ||
      m.reward.size() != m.num_actions || m.start.size() != m.num_states ||
      m.terminal.size() != m.num_states)
    throw Error(m.name + ": an array has not the size that the model declares");
  for (int a = 0; a < m.num_actions; ++a) {
    check_rows(m.transition[a], m.num_states, m.num_states, tolerance,
               fmt::format("{}: transition of action {}", m.name, a));
    check_rows(m.observation[a], m.num_states, m.num_observations, tolerance,
               fmt::format("{}: observation of action {}", m.name, a));
    if (m.reward[a].size() != m.num_states)
      throw Error(fmt::format("{}: rewards of action {} need one value per state", m.name, a));
  }
  double sum = 0;
  for (double p : m.start) {
    if (!(p >= 0)) throw Error(m.name + ": the start distribution has a negative entry");
    sum += p;
  }
  if (!(std::abs(sum - 1) <= tolerance))
    throw Error(fmt::format("{}: the start distribution sums to {}, not 1", m.name, sum));
}

}  // namespace penumbra
