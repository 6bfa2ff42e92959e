// The writer of pomdp_file.h.
#include <algorithm>

#include "penumbra/io/flat_table.h"
#include "penumbra/io/pomdp_file.h"
#include "penumbra/io/text.h"

namespace penumbra {
namespace {

const std::vector<std::string> kReserved = {
    "discount", "values", "states", "actions", "observations", "T",       "O",     "R",  "uniform",
    "identity", "reward", "cost",   "start",   "include",      "exclude", "reset", "OO", "costs"};
constexpr int kMaxNamed = 1000;  // beyond, the body uses indices

class Writer {
 public:
  explicit Writer(const Tabular& table) : t_(flattened(table)), mdp_(is_mdp(t_)) {
    std::vector<std::string> states;
    if (!t_.state_names.empty() || !t_.variables.empty())
      for (int s = 0; s < t_.num_states; ++s) states.push_back(state_name(t_, s));
    states_ = plain_names(std::move(states), kReserved);
    actions_ = plain_names(t_.action_names, kReserved);
    observations_ = plain_names(t_.observation_names, kReserved);
  }

  std::string write() {
    line("# {}", t_.name.substr(0, t_.name.find('\n')));
    line("discount: {}", t_.discount);
    line("values: reward");
    list("states", states_, t_.num_states);
    list("actions", actions_, t_.num_actions);
    if (!mdp_) list("observations", observations_, t_.num_observations);
    start();
    rows('T', t_.transition, states_, true);
    if (!mdp_) rows('O', t_.observation, observations_, false);
    rewards();
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> text, Args&&... args) {
    append(out_, text, std::forward<Args>(args)...);
    out_.push_back('\n');
  }

  void list(const char* keyword, const std::vector<std::string>& names, int count) {
    if (names.empty())
      line("{}: {}", keyword, count);
    else
      line("{}: {}", keyword, fmt::join(names, " "));
  }

  std::string ref(const std::vector<std::string>& names, int i) const {
    return names.empty() || names.size() > kMaxNamed ? fmt::format_int(i).str() : names[i];
  }

  void start() {
    const auto& b = t_.start;
    const double each = 1.0 / t_.num_states;
    if (std::all_of(b.begin(), b.end(), [&](double p) { return p == each; }))
      return line("start: uniform");
    line("start: {}", fmt::join(b, " "));
  }

  bool is_identity(const SparseRows& rows) const {
    for (int s = 0; s < t_.num_states; ++s) {
      const auto row = rows.row(s);
      if (row.size() != 1 || row[0].column != s || row[0].value != 1) return false;
    }
    return true;
  }

  void rows(char keyword, const std::vector<SparseRows>& list,
            const std::vector<std::string>& columns, bool is_transition) {
    const bool same = std::all_of(list.begin(), list.end(),
                                  [&](const SparseRows& rows) { return rows == list[0]; });
    for (int a = 0; a < (same ? 1 : t_.num_actions); ++a) {
      const std::string action = same ? "*" : ref(actions_, a);
      out_.push_back('\n');
      if (is_transition && is_identity(list[a])) {
        line("{}: {} identity", keyword, action);
        continue;
      }
      for (int s = 0; s < t_.num_states; ++s)
        for (const auto& e : list[a].row(s))
          line("{}: {} : {} : {} {}", keyword, action, ref(states_, s), ref(columns, e.column),
               e.value);
    }
  }

  void rewards() {
    const char* rest = mdp_ ? " : *" : " : * : *";
    for (int a = 0; a < t_.num_actions; ++a) {
      const auto& r = t_.reward[a];
      out_.push_back('\n');
      if (std::all_of(r.begin(), r.end(), [&](double v) { return v == r[0]; })) {
        line("R: {} : *{} {}", ref(actions_, a), rest, r[0]);
        continue;
      }
      for (int s = 0; s < t_.num_states; ++s)
        if (r[s] != 0) line("R: {} : {}{} {}", ref(actions_, a), ref(states_, s), rest, r[s]);
    }
  }

  Tabular t_;
  bool mdp_;
  std::vector<std::string> states_, actions_, observations_;
  std::string out_;
};

}  // namespace

std::string write_pomdp_text(const Tabular& table) {
  check_tabular(table);
  return Writer(tidy(table)).write();
}

}  // namespace penumbra
