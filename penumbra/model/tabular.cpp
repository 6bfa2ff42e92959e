#include "penumbra/model/tabular.h"

#include <fmt/format.h>

#include <cmath>

#include "penumbra/base/error.h"

namespace penumbra {
namespace {

std::string name_of(const Tabular& m, int action) {
  return m.action_names.size() == m.num_actions ? m.action_names[action]
                                                : fmt::format("a{}", action);
}

void check_rows(const Tabular& m, const SparseRows& rows, int num_columns, double tolerance,
                const char* kind, int action) {
  const int num_rows = m.num_states;
  const std::string what = fmt::format("{}: {} of action {}", m.name, kind, name_of(m, action));
  if (rows.num_rows() != num_rows)
    throw Error(fmt::format("{}: {} rows, {} expected", what, rows.num_rows(), num_rows));
  for (int r = 0; r < num_rows; ++r) {
    double sum = 0;
    for (const auto& entry : rows.row(r)) {
      if (entry.column < 0 || entry.column >= num_columns)
        throw Error(fmt::format("{}, state {}: column {} is out of range", what, state_name(m, r),
                                entry.column));
      if (!(entry.value >= 0 && entry.value <= 1 + tolerance))
        throw Error(fmt::format("{}, state {}, column {}: {} is not a probability", what,
                                state_name(m, r), entry.column, entry.value));
      sum += entry.value;
    }
    if (!(std::abs(sum - 1) <= tolerance))
      throw Error(
          fmt::format("{}, state {}: probabilities sum to {}, not 1", what, state_name(m, r), sum));
  }
}

void check_variables(const Tabular& m) {
  if (m.variables.empty()) return;
  int64_t states = 1, visible = 1;
  for (size_t i = 0; i < m.variables.size(); ++i) {
    const StateVariable& v = m.variables[i];
    if (i > 0 && v.visible && !m.variables[i - 1].visible)
      throw Error(m.name + ": visible variables must stand before hidden ones");
    states *= v.size();
    if (v.visible) visible *= v.size();
    if (states < 1 || states > m.num_states) break;
  }
  if (states != m.num_states || (visible > 1 && visible != m.num_visible))
    throw Error(m.name + ": the variables do not multiply to the number of states");
}

// What the agent sees of states in [0, num_visible) is one name, or the visible variables' values.
std::string visible_name(const Tabular& m, int visible) {
  std::string text;
  for (size_t i = m.variables.size(); i-- > 0;) {
    const StateVariable& v = m.variables[i];
    if (!v.visible) continue;
    text = v.values[visible % v.size()] + (text.empty() ? "" : ",") + text;
    visible /= v.size();
  }
  return text.empty() ? fmt::format("v{}", visible) : text;
}

}  // namespace

std::string state_name(const Tabular& m, int state) {
  if (!m.state_names.empty()) return m.state_names.at(state);
  if (m.variables.empty()) return fmt::format("s{}", state);
  std::string text;
  for (size_t i = m.variables.size(); i-- > 0;) {
    const StateVariable& v = m.variables[i];
    text = v.values[state % v.size()] + (text.empty() ? "" : ",") + text;
    state /= v.size();
  }
  return text;
}

int num_seen(const Tabular& m) {
  return m.visible.empty() ? m.num_observations : m.num_visible * m.num_observations;
}

std::string seen_name(const Tabular& m, int seen) {
  const int o = seen % m.num_observations;
  const std::string name =
      m.observation_names.empty() ? fmt::format("o{}", o) : m.observation_names.at(o);
  if (m.visible.empty()) return name;
  const std::string seen_part = visible_name(m, seen / m.num_observations);
  return m.num_observations == 1 ? seen_part : seen_part + ":" + name;
}

void check_tabular(const Tabular& m, double tolerance) {
  if (m.num_states < 1 || m.num_actions < 1 || m.num_observations < 1)
    throw Error(m.name + ": a model needs at least one state, action and observation");
  if (!(m.discount >= 0 && m.discount < 1))
    throw Error(fmt::format("{}: the discount {} is not in [0, 1)", m.name, m.discount));
  if (m.transition.size() != m.num_actions || m.observation.size() != m.num_actions ||
      m.reward.size() != m.num_actions || m.start.size() != m.num_states ||
      m.terminal.size() != m.num_states)
    throw Error(m.name + ": an array has not the size that the model declares");
  if (!m.visible.empty() && m.visible.size() != m.num_states)
    throw Error(m.name + ": `visible` needs one value per state");
  for (int part : m.visible)
    if (part < 0 || part >= m.num_visible)
      throw Error(fmt::format("{}: visible part {} of {}", m.name, part, m.num_visible));
  if (int64_t(m.num_visible) * m.num_observations > INT32_MAX)
    throw Error(fmt::format("{}: {} visible parts and {} observations make too many pairs", m.name,
                            m.num_visible, m.num_observations));
  check_variables(m);
  for (int a = 0; a < m.num_actions; ++a) {
    check_rows(m, m.transition[a], m.num_states, tolerance, "transition", a);
    check_rows(m, m.observation[a], m.num_observations, tolerance, "observation", a);
    if (m.reward[a].size() != m.num_states)
      throw Error(
          fmt::format("{}: rewards of action {} need one value per state", m.name, name_of(m, a)));
    for (int s = 0; s < m.num_states; ++s)
      if (!std::isfinite(m.reward[a][s]))
        throw Error(fmt::format("{}: the reward of action {} in state {} is {}", m.name,
                                name_of(m, a), state_name(m, s), m.reward[a][s]));
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
