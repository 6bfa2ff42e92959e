#include "penumbra/model/lint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "penumbra/base/error.h"

namespace penumbra {
namespace {

using Kind = Finding::Kind;

class Linter {
 public:
  explicit Linter(const Tabular& t) : t_(t) {}

  std::vector<Finding> run() {
    check_rows(t_.transition, "T", t_.num_states);
    check_rows(t_.observation, "O", t_.num_observations);
    try {
      check_tabular(t_, 1e-5);
    } catch (const Error& e) {
      if (findings_.empty()) add(Kind::kProblem, "{}", e.what());
    }
    if (findings_.empty()) {  // the rest walks through the tables
      find_reachable();
      check_reachable();
      check_observations();
      check_absorbing();
      check_rewards();
      check_actions();
      check_discount();
    }
    std::stable_sort(findings_.begin(), findings_.end(),
                     [](const Finding& a, const Finding& b) { return a.kind > b.kind; });
    return std::move(findings_);
  }

 private:
  template <class... Args>
  void add(Kind kind, fmt::format_string<Args...> text, Args&&... args) {
    findings_.push_back({kind, fmt::format(text, std::forward<Args>(args)...)});
  }

  std::string action(int a) const {
    return t_.action_names.empty() ? fmt::format("a{}", a) : t_.action_names[a];
  }
  std::string seen(int o) const {
    return t_.observation_names.empty() ? fmt::format("o{}", o) : t_.observation_names[o];
  }
  // "3 (first, second, third)", or the first few.
  std::string some(const std::vector<int>& list,
                   const std::function<std::string(int)>& name) const {
    std::vector<std::string> names;
    for (size_t i = 0; i < std::min<size_t>(list.size(), 4); ++i) names.push_back(name(list[i]));
    return fmt::format("{} ({}{})", list.size(), fmt::join(names, ", "),
                       list.size() > names.size() ? ", ..." : "");
  }
  std::string some_states(const std::vector<int>& list) const {
    return some(list, [&](int s) { return state_name(t_, s); });
  }

  void check_rows(const std::vector<SparseRows>& tables, const char* what, int num_columns) {
    size_t bad = 0;
    double worst = 0;
    std::string first;
    for (int a = 0; a < static_cast<int>(tables.size()); ++a)
      for (int s = 0; s < std::min(tables[a].num_rows(), t_.num_states); ++s) {
        double sum = 0;
        bool valid = true;
        for (const auto& e : tables[a].row(s)) {
          valid = valid && e.value >= 0 && e.column >= 0 && e.column < num_columns;
          sum += e.value;
        }
        if (valid && std::abs(sum - 1) <= 1e-9) continue;
        if (bad++ == 0)
          first = fmt::format("action {}, state {}: {:.10g}", action(a), state_name(t_, s), sum);
        worst = std::max(worst, std::abs(sum - 1));
      }
    if (bad > 0)
      add(Kind::kProblem, "{} row{} of {} not sum to 1, by up to {:.3g} (first: {}).", bad,
          bad == 1 ? "" : "s", fmt::format("{} {}", what, bad == 1 ? "does" : "do"), worst, first);
  }

  void find_reachable() {
    reachable_.assign(t_.num_states, 0);
    std::vector<int> open;
    auto visit = [&](int s) {
      if (reachable_[s]) return;
      reachable_[s] = 1;
      open.push_back(s);
    };
    for (int s = 0; s < t_.num_states; ++s)
      if (t_.start[s] > 0) visit(s);
    while (!open.empty()) {
      const int s = open.back();
      open.pop_back();
      for (const SparseRows& rows : t_.transition)
        for (const auto& e : rows.row(s))
          if (e.value > 0) visit(e.column);
    }
  }

  void check_reachable() {
    std::vector<int> unreachable;
    for (int s = 0; s < t_.num_states; ++s)
      if (!reachable_[s] && !t_.terminal[s]) unreachable.push_back(s);
    if (!unreachable.empty())
      add(Kind::kWarning,
          "States that cannot be reached from the start: {} of {}. They cost memory and change "
          "nothing.",
          some_states(unreachable), t_.num_states);
  }

  void check_observations() {
    std::vector<char> emitted(t_.num_observations, 0);
    bool tells = t_.num_visible > 1;
    for (const SparseRows& rows : t_.observation) {
      int first = -1;
      for (int s = 0; s < t_.num_states; ++s) {
        if (!reachable_[s]) continue;
        for (const auto& e : rows.row(s))
          if (e.value > 0) emitted[e.column] = 1;
        if (first < 0) first = s;
        const auto a = rows.row(first), b = rows.row(s);
        tells = tells || !std::equal(a.begin(), a.end(), b.begin(), b.end());
      }
    }
    std::vector<int> never;
    for (int o = 0; o < t_.num_observations; ++o)
      if (!emitted[o]) never.push_back(o);
    if (!never.empty())
      add(Kind::kWarning, "Observations that never come: {}. Check O, or leave them out.",
          some(never, [&](int o) { return seen(o); }));
    if (!tells && t_.num_states > 1)
      add(Kind::kWarning, "No observation tells anything: every state looks the same.");
  }

  void check_absorbing() {
    std::vector<int> terminal, paying;
    for (int s = 0; s < t_.num_states; ++s) {
      if (!reachable_[s]) continue;
      bool stays = true, pays = false;
      for (int a = 0; a < t_.num_actions && stays; ++a) {
        const auto row = t_.transition[a].row(s);
        stays = row.size() == 1 && row[0].column == s;
        pays = pays || t_.reward[a][s] != 0;
      }
      if (stays) (pays ? paying : terminal).push_back(s);
    }
    if (!terminal.empty())
      add(Kind::kNote, "Terminal states (no action leaves them, none pays): {}.",
          some_states(terminal));
    if (!paying.empty())
      add(Kind::kWarning,
          "States that no action leaves but some action pays in: {}. An end of an episode pays "
          "nothing; is this meant?",
          some_states(paying));
  }

  void check_rewards() {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (const auto& rewards : t_.reward)
      for (int s = 0; s < t_.num_states; ++s)
        if (reachable_[s]) {
          low = std::min(low, rewards[s]);
          high = std::max(high, rewards[s]);
        }
    if (low == high)
      add(Kind::kWarning, "Every action pays {:g} everywhere: all policies are equally good.", low);
    else
      add(Kind::kNote, "Expected rewards of a step are from {:g} to {:g}.", low, high);
  }

  void check_actions() {
    std::vector<int> copies;
    for (int a = 1; a < t_.num_actions; ++a)
      for (int b = 0; b < a; ++b)
        if (t_.reward[a] == t_.reward[b] && t_.transition[a] == t_.transition[b] &&
            t_.observation[a] == t_.observation[b]) {
          copies.push_back(a);
          break;
        }
    if (!copies.empty())
      add(Kind::kWarning, "Actions that are copies of an earlier one: {}. Leave them out.",
          some(copies, [&](int a) { return action(a); }));
  }

  void check_discount() {
    if (t_.discount > 0.9995)
      add(Kind::kNote, "A discount of {} looks {:.0f} steps ahead; bounds close slowly.",
          t_.discount, 1 / (1 - t_.discount));
  }

  const Tabular& t_;
  std::vector<Finding> findings_;
  std::vector<char> reachable_;
};

}  // namespace

std::vector<Finding> lint(const Tabular& model) {
  return Linter(model).run();
}

TableSize table_size(const Tabular& t) {
  TableSize size;
  for (const SparseRows& rows : t.transition) size.transitions += rows.entries.size();
  for (const SparseRows& rows : t.observation) size.observations += rows.entries.size();
  const double rows = 2.0 * t.num_actions * t.num_states;
  size.bytes = double(size.transitions + size.observations) * sizeof(SparseRows::Entry) +
               rows * (sizeof(size_t) + sizeof(double) / 2) + 13.0 * t.num_states;
  return size;
}

}  // namespace penumbra
