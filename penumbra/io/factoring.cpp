#include "penumbra/io/factoring.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>

#include "penumbra/io/flat_table.h"
#include "penumbra/io/row_product.h"

namespace penumbra {
namespace {

using Entry = SparseRows::Entry;
using Variable = FactoredModel::Variable;

// To 15 digits: what a person wrote, if the rest is rounding.
double rounded(double value) {
  const std::string text = fmt::format("{:.15g}", value);
  double out = value;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

class Factoring {
 public:
  Factoring(const Tabular& t, std::vector<Variable> variables, bool round) : t_(t), round_(round) {
    m_.name = t.name;
    m_.discount = t.discount;
    m_.states = std::move(variables);
    m_.actions = {{"action", t.num_actions, t.action_names}};
    if (!is_mdp(t)) m_.observations = {{"observation", t.num_observations, t.observation_names}};
    strides_.resize(m_.states.size());
    for (int i = static_cast<int>(strides_.size()) - 1, stride = 1; i >= 0; --i) {
      strides_[i] = stride;
      stride *= m_.states[i].size;
    }
  }

  FactoredModel run() {
    std::vector<Entry> start;
    for (int s = 0; s < t_.num_states; ++s)
      if (t_.start[s] > 0) start.push_back({s, t_.start[s]});
    for (size_t v = 0; v < m_.states.size(); ++v) {
      Diagram first(m_.slot_sizes());
      first.root = marginal(start, v, first);
      m_.start.push_back(std::move(first));
      m_.transition.push_back(collect(m_.before(0), [&](int a, int s, Diagram& d) {
        return marginal(t_.transition[a].row(s), v, d);
      }));
    }
    if (!m_.observations.empty())
      m_.observation.push_back(collect(m_.after(0), [&](int a, int s, Diagram& d) {
        return d.add_row(t_.observation[a].row(s));
      }));
    m_.rewards.push_back(collect(
        m_.before(0), [&](int a, int s, Diagram& d) { return d.add_value(t_.reward[a][s]); }));
    return std::move(m_);
  }

 private:
  // The distribution of one variable in a distribution of states.
  Diagram::Ref marginal(std::span<const Entry> row, size_t v, Diagram& d) {
    const int size = m_.states[v].size, stride = strides_[v];
    if (m_.states.size() == 1) return d.add_row(row);
    std::vector<Entry> out;
    if (row.size() == 1) {
      out.push_back({row[0].column / stride % size, row[0].value});
      return d.add_row(out);
    }
    scratch_.resize(static_cast<size_t>(std::max(size, static_cast<int>(scratch_.size()))), 0.0);
    for (const Entry& e : row) scratch_[e.column / stride % size] += e.value;
    for (const Entry& e : row) {
      const int value = e.column / stride % size;
      if (scratch_[value] == 0) continue;
      out.push_back({value, round_ ? rounded(scratch_[value]) : scratch_[value]});
      scratch_[value] = 0;
    }
    std::sort(out.begin(), out.end(),
              [](const Entry& a, const Entry& b) { return a.column < b.column; });
    return d.add_row(out);
  }

  // A diagram of (action, state) from its leaves; `first` is the slot of the first variable.
  Diagram collect(int first, const std::function<Diagram::Ref(int, int, Diagram&)>& leaf) {
    Diagram d(m_.slot_sizes());
    std::vector<Diagram::Edge> actions;
    for (int a = 0; a < t_.num_actions; ++a) {
      std::vector<Diagram::Ref> refs(static_cast<size_t>(t_.num_states));
      for (int s = 0; s < t_.num_states; ++s) refs[s] = leaf(a, s, d);
      for (size_t v = m_.states.size(); v-- > 0;) {
        const size_t size = static_cast<size_t>(m_.states[v].size), groups = refs.size() / size;
        std::vector<Diagram::Edge> edges(size);
        for (size_t g = 0; g < groups; ++g) {
          const Diagram::Ref* group = refs.data() + g * size;
          if (std::all_of(group, group + size, [&](Diagram::Ref r) { return r == group[0]; })) {
            refs[g] = group[0];
            continue;
          }
          for (size_t i = 0; i < size; ++i) edges[i] = {static_cast<int>(i), group[i]};
          refs[g] = d.add_node(first + static_cast<int>(v), group[0], edges);
        }
        refs.resize(groups);
      }
      actions.push_back({a, refs[0]});
    }
    d.root = d.add_node(0, actions[0].child, actions);
    return d;
  }

  const Tabular& t_;
  bool round_;
  FactoredModel m_;
  std::vector<int> strides_;
  std::vector<double> scratch_;
};

bool same_numbers(const Tabular& a, const Tabular& b) {
  return a.start == b.start && a.reward == b.reward && a.transition == b.transition &&
         a.observation == b.observation && a.visible == b.visible;
}

// States must be numbered visible part first; otherwise a factored form would renumber them.
bool is_visible_first(const Tabular& t) {
  if (t.visible.empty()) return true;
  if (t.num_states % t.num_visible != 0) return false;
  const int hidden = t.num_states / t.num_visible;
  for (int s = 0; s < t.num_states; ++s)
    if (t.visible[s] != s / hidden) return false;
  return true;
}

std::vector<std::string> state_names_of(const Tabular& t) {
  constexpr int kMaxNamed = 1000;  // joint names are long
  std::vector<std::string> names = t.state_names;
  if (names.empty() && !t.variables.empty() && t.num_states <= kMaxNamed)
    for (int s = 0; s < t.num_states; ++s) names.push_back(state_name(t, s));
  return names;
}

}  // namespace

std::optional<FactoredModel> factored(const Tabular& t) {
  if (!is_visible_first(t)) return std::nullopt;
  std::vector<std::vector<Variable>> forms;
  if (t.variables.size() > 1) {
    forms.emplace_back();
    for (const StateVariable& v : t.variables)
      forms.back().push_back({v.name, v.size(), v.values, v.visible});
  }
  if (!t.visible.empty() && t.num_visible == t.num_states)
    forms.push_back({{"state", t.num_states, state_names_of(t), true}});
  if (!t.visible.empty() && t.num_visible < t.num_states)
    forms.push_back({{"visible", t.num_visible, {}, true},
                     {"hidden", t.num_states / t.num_visible, {}, false}});
  ReadOptions unlimited;
  unlimited.memory_limit = 1e18;
  for (const auto& form : forms)
    for (bool round : {false, true}) {
      FactoredModel m = Factoring(t, form, round).run();
      if (same_numbers(expand(m, unlimited), t)) return m;
    }
  return std::nullopt;
}

FactoredModel unfactored(const Tabular& t) {
  return Factoring(t, {{"state", t.num_states, state_names_of(t), !t.visible.empty()}}, false)
      .run();
}

}  // namespace penumbra
