#include "penumbra/io/pomdp_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "penumbra/base/error.h"
#include "penumbra/base/spec.h"
#include "penumbra/io/factored_model.h"
#include "penumbra/io/pattern_table.h"
#include "penumbra/io/pomdp_scanner.h"

namespace penumbra {
namespace {

using Kind = PomdpScanner::Kind;

constexpr std::array kReserved = {
    "discount", "values",   "states", "actions", "observations", "T",       "O",       "R",
    "uniform",  "identity", "reward", "cost",    "start",        "include", "exclude", "reset"};

bool is_reserved(std::string_view word) {
  return std::find(kReserved.begin(), kReserved.end(), word) != kReserved.end();
}

// States, actions or observations: a number of them, or names.
struct Names {
  const char* what;  // "state"
  int count = 0;
  std::vector<std::string> list{};
  std::unordered_map<std::string_view, int> index{};
  size_t at = 0;  // where they are declared
};

class Reader {
 public:
  Reader(const SourceText& source, const ReadOptions& options)
      : source_(source),
        options_(options),
        warnings_(source, options.strict),
        in_(source, warnings_) {}

  ModelFile read() {
    while (!in_.is(Kind::kEnd)) statement();
    begin_body();
    model_.transition.push_back(build(*transition_, "T", {&actions_, &states_}));
    model_.observation.push_back(build(*observation_, "O", {&actions_, &states_}));
    model_.rewards.push_back(build(*reward_, "R", {}));
    ModelFile file{expand(model_, options_)};
    file.warnings = warnings_.take();
    return file;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { in_.fail(what); }

  void expect_colon(const std::string& after) {
    if (!in_.is(Kind::kColon))
      fail(fmt::format("a ':' is expected after {}, not {}", after, in_.describe()));
    in_.advance();
  }

  void statement() {
    if (!in_.is(Kind::kWord))
      fail(in_.is(Kind::kNumber) ? "a number too many, or a keyword is missing before it"
                                 : fmt::format("a keyword is expected, not {}", in_.describe()));
    const std::string_view word = in_.token().text;
    if (word == "T" || word == "O" || word == "R" || word == "OO") {
      begin_body();
      if (word == "OO") warnings_.add(in_.token().at, "OO: is read as O:");
      in_.advance();
      expect_colon(fmt::format("'{}'", word));
      return word == "T" ? transition() : word == "R" ? reward() : observation();
    }
    if (word == "start") return start();
    if (body_ && is_reserved(word))
      fail(fmt::format("'{}:' must stand before the first T, O or R", word));
    if (word == "discount") return discount();
    if (word == "values") return values();
    if (word == "states") return names(states_);
    if (word == "actions") return names(actions_);
    if (word == "observations") return names(observations_);
    if (word == "costs") return costs();
    const std::vector<std::string> keywords = {
        "discount", "values", "states", "actions", "observations", "start", "T", "O", "R"};
    fail(fmt::format("there is no keyword {}{}", quoted(word), did_you_mean(word, keywords)));
  }

  void discount() {
    in_.advance();
    expect_colon("'discount'");
    const size_t at = in_.token().at;
    model_.discount = number("the discount");
    has_discount_ = true;
    if (model_.discount < 0 || model_.discount > 1)
      source_.fail(at, fmt::format("the discount {} is not in [0, 1)", model_.discount));
    if (model_.discount == 1)
      source_.fail(at, "a discount of 1 makes sums infinite; it must be below 1: write 0.999, say");
  }

  void values() {
    in_.advance();
    expect_colon("'values'");
    if (!in_.is_word("reward") && !in_.is_word("cost"))
      fail(fmt::format("'values:' is 'reward' or 'cost', not {}", in_.describe()));
    costs_ = in_.is_word("cost");
    in_.advance();
  }

  // A line of one dialect: costs of observing, which the format does not have.
  void costs() {
    warnings_.add(in_.token().at, "a 'costs:' line is not part of the format and is left out");
    in_.advance();
    expect_colon("'costs'");
    while (in_.is(Kind::kNumber)) in_.advance();
  }

  void names(Names& n) {
    const std::string keyword(in_.token().text);
    if (n.count > 0) fail(fmt::format("'{}:' is given twice", keyword));
    n.at = in_.token().at;
    in_.advance();
    expect_colon("'" + keyword + "'");
    if (in_.is(Kind::kNumber)) {
      const auto& t = in_.token();
      if (!t.is_whole || t.value < 1)
        fail(fmt::format("'{}:' needs a whole number of 1 or more, or names", keyword));
      if (t.value > 1e9)
        fail(fmt::format("{} {} are more than any machine can hold", t.text, keyword));
      n.count = static_cast<int>(t.value);
      in_.advance();
      return;
    }
    constexpr size_t kLongest = 4096;
    while (at_name()) {
      const std::string_view name = in_.token().text;
      if (name.size() > kLongest) fail(fmt::format("a name of {} characters", name.size()));
      if (!n.index.emplace(name, n.count).second)
        fail(fmt::format("the {} {} is named twice", n.what, quoted(name)));
      n.list.emplace_back(name);
      ++n.count;
      in_.advance();
    }
    if (n.count == 0)
      fail(fmt::format("'{}:' needs a number or names, not {}{}", keyword, in_.describe(),
                       in_.is(Kind::kWord) ? " (a reserved word)" : ""));
  }

  // Everything that the body refers to is known: sizes are checked before memory is taken.
  void begin_variables() {
    if (!model_.states.empty()) return;
    if (states_.count == 0) fail("there is no 'states:' line before this");
    if (actions_.count == 0) fail("there is no 'actions:' line before this");
    if (!has_discount_) fail("there is no 'discount:' line before this");
    mdp_ = observations_.count == 0;
    if (mdp_) observations_.count = 1;
    model_.name = source_.path();
    model_.states.push_back({"state", states_.count, states_.list, mdp_});
    model_.actions.push_back({"action", actions_.count, actions_.list});
    model_.observations.push_back({"observation", observations_.count, observations_.list});
    try {
      check_size(model_, options_);
    } catch (const Error& e) {
      source_.fail(states_.at, std::string(e.what()).substr(model_.name.size() + 2));
    }
  }

  void begin_body() {
    if (body_) return;
    begin_variables();
    body_ = true;
    const PatternTable::Column action{0, actions_.count}, before{1, states_.count},
        after{2, states_.count}, seen{3, observations_.count};
    if (!start_) {
      start_.emplace(std::vector{before}, true);
      start_->begin(std::array{PatternTable::kEach}, in_.token().at);
      start_->uniform();
    }
    model_.start.push_back(build(*start_, "start", {}));
    transition_.emplace(std::vector{action, before, after}, true);
    observation_.emplace(std::vector{action, after, seen}, true);
    reward_.emplace(std::vector{action, before, after, seen}, false);
    if (mdp_) {  // one observation that says nothing
      observation_->begin(std::array{PatternTable::kAny, PatternTable::kAny, 0}, 0);
      observation_->number(1);
    }
  }

  Diagram build(const PatternTable& table, const char* what, std::vector<const Names*> path_names) {
    PatternTable::Report report;
    report.bad_row = [&](std::span<const int> path, double sum, size_t at) {
      std::string where = what;
      for (size_t i = 0; i < path.size(); ++i) {
        const Names* n = path_names[i];
        where += fmt::format("{}{} {}", i ? ", " : " of ", n->what,
                             path[i] < 0       ? "*"
                             : n->list.empty() ? std::to_string(path[i])
                                               : quoted(n->list[path[i]]));
      }
      if (at == std::string::npos)
        throw Error(fmt::format("{}: {}: no probability is given", source_.path(), where));
      source_.fail(at, fmt::format("{}: the probabilities sum to {:.10g}, not 1", where, sum));
    };
    report.too_complex = [&] {
      throw Error(
          fmt::format("{}: the entries of {} overlap too much to be read", source_.path(), what));
    };
    Diagram diagram = table.build(model_.slot_sizes(), report);
    if (report.scaled > 0)
      warnings_.add(report.first_at,
                    fmt::format("{}: {} row{} off 1 by up to {:.2g}; scaled", what, report.scaled,
                                report.scaled == 1 ? " is" : "s are", report.worst));
    return diagram;
  }

  double number(const std::string& what) {
    bool negative = false;
    if (in_.is(Kind::kPlus) || in_.is(Kind::kMinus)) {
      negative = in_.is(Kind::kMinus);
      in_.advance();
    }
    if (!in_.is(Kind::kNumber))
      fail(fmt::format("{} must be a number, not {}", what, in_.describe()));
    const double value = in_.token().value;
    in_.advance();
    return negative ? -value : value;
  }

  // A word that is no keyword.
  bool at_name() const {
    return in_.is(Kind::kWord) && !is_reserved(in_.token().text) && !in_.before_colon();
  }

  bool at_number() const {
    return in_.is(Kind::kNumber) || in_.is(Kind::kPlus) || in_.is(Kind::kMinus);
  }

  double probability() {
    const size_t at = in_.token().at;
    const double p = number("a probability");
    if (!(p >= 0 && p <= 1 + PatternTable::kTolerance))
      source_.fail(at, fmt::format("{} is not a probability: it must be from 0 to 1", p));
    return p;
  }

  // A name, an index or *.
  int reference(const Names& n) {
    if (in_.is(Kind::kStar)) {
      in_.advance();
      return PatternTable::kAny;
    }
    return one(n);
  }

  int one(const Names& n) {
    const auto& t = in_.token();
    int value = -1;
    if (in_.is(Kind::kNumber)) {
      if (!t.is_whole || t.value >= n.count)
        fail(fmt::format("there is no {} {}; there are {}, from 0", n.what, t.text, n.count));
      value = static_cast<int>(t.value);
    } else if (in_.is(Kind::kWord)) {
      const auto found = n.index.find(t.text);
      if (found == n.index.end())
        fail(fmt::format("there is no {} {}{}", n.what, quoted(t.text),
                         n.list.empty()
                             ? fmt::format("; they are numbers from 0 to {}", n.count - 1)
                             : did_you_mean(t.text, n.list)));
      value = found->second;
    } else {
      fail(fmt::format("a{} {} is expected, not {}", *n.what == 'a' || *n.what == 'o' ? "n" : "",
                       n.what, in_.describe()));
    }
    in_.advance();
    return value;
  }

  void probabilities(PatternTable& table) {
    const double expected = table.num_expected();
    while (table.num_given() < expected) {
      if (!at_number())
        fail(expected == 1
                 ? fmt::format("a probability is expected, not {}", in_.describe())
                 : fmt::format("{:.0f} probabilities are expected and {:.0f} given, then comes {}",
                               expected, table.num_given(), in_.describe()));
      table.number(probability());
    }
  }

  // After "T: a", "O: a": as many indices as there are.
  void distribution(PatternTable& table, const Names& from, const Names& to, bool is_transition) {
    const size_t at = in_.token().at;
    std::array<int, 3> pattern = {reference(actions_), PatternTable::kEach, PatternTable::kEach};
    int given = 1;
    for (const Names* n : {&from, &to}) {
      if (!in_.is(Kind::kColon)) break;
      in_.advance();
      pattern[given++] = reference(*n);
    }
    table.begin(pattern, at);
    if (in_.is_word("uniform") && given < 3) {
      table.uniform();
    } else if (in_.is_word("identity") && is_transition && given == 1) {
      table.identity();
    } else if (in_.is_word("reset") && is_transition && given == 2) {
      const auto row = model_.start[0].rows.row(0);
      table.row({row.begin(), row.end()});
    } else {
      if (in_.is(Kind::kWord) && is_reserved(in_.token().text) && !at_number())
        fail(fmt::format("{} has no place here: {} expected", in_.describe(),
                         given == 3   ? "a probability is"
                         : given == 2 ? (is_transition ? "numbers, 'uniform' or 'reset' are"
                                                       : "numbers or 'uniform' are")
                                      : (is_transition ? "numbers, 'uniform' or 'identity' are"
                                                       : "numbers or 'uniform' are")));
      return probabilities(table);
    }
    in_.advance();
  }

  void transition() { distribution(*transition_, states_, states_, true); }

  void observation() {
    if (mdp_) fail("there is no 'observations:' line, so O: has no meaning");
    distribution(*observation_, states_, observations_, false);
  }

  void reward() {
    const size_t at = in_.token().at;
    std::array<int, 4> pattern = {reference(actions_), PatternTable::kEach, PatternTable::kEach,
                                  PatternTable::kEach};
    if (mdp_) pattern[3] = PatternTable::kAny;
    int given = 1;
    const std::array<const Names*, 3> rest = {&states_, &states_, &observations_};
    while (in_.is(Kind::kColon) && given < (mdp_ ? 3 : 4)) {
      in_.advance();
      pattern[given] = reference(*rest[given - 1]);
      ++given;
    }
    if (given == 1 && !mdp_)
      fail("R: needs a state too: R: ACTION : STATE : NEXT : OBSERVATION NUMBER");
    reward_->begin(pattern, at);
    const double expected = reward_->num_expected();
    while (reward_->num_given() < expected) {
      if (!at_number())
        fail(fmt::format("{:.0f} rewards are expected and {:.0f} given, then comes {}{}", expected,
                         reward_->num_given(), in_.describe(),
                         reward_->num_given() == 1 ? "; write * for what does not matter" : ""));
      const double value = number("a reward");
      reward_->number(costs_ ? -value : value);
    }
  }

  void start() {
    if (body_) fail("'start' must stand before the first T, O or R");
    if (start_) fail("'start' is given twice");
    const size_t at = in_.token().at;
    begin_variables();
    in_.advance();
    start_.emplace(std::vector{PatternTable::Column{1, states_.count}}, true);
    start_->begin(std::array{PatternTable::kEach}, at);
    if (in_.is_word("include") || in_.is_word("exclude")) {
      const bool include = in_.is_word("include");
      in_.advance();
      expect_colon(include ? "'include'" : "'exclude'");
      return start_set(include);
    }
    expect_colon("'start'");
    if (in_.is_word("uniform")) {
      in_.advance();
      return start_->uniform();
    }
    if (in_.is(Kind::kWord)) {
      const size_t first = in_.token().at;
      const int state = one(states_);
      if (!at_name()) return start_->row({{state, 1.0}});
      warnings_.add(first, "several names after 'start:' are read as 'start include:'");
      return start_set(true, {state});
    }
    start_vector();
  }

  // A distribution, or the index of one state.
  void start_vector() {
    const auto first = in_.token();
    if (!at_number()) fail(fmt::format("a start distribution is expected, not {}", in_.describe()));
    start_->number(probability_or_index());
    if (!at_number() && states_.count > 1 && first.is_whole) {
      if (first.value >= states_.count)
        source_.fail(first.at, fmt::format("there is no state {}", first.text));
      warnings_.add(first.at, "one number after 'start:' is read as the index of a state");
      return start_->row({{static_cast<int>(first.value), 1.0}});
    }
    if (first.value > 1 + PatternTable::kTolerance)
      source_.fail(first.at, fmt::format("{} is not a probability", first.text));
    probabilities(*start_);
  }

  double probability_or_index() {
    const size_t at = in_.token().at;
    const double value = number("a probability");
    if (!(value >= 0)) source_.fail(at, fmt::format("{} is not a probability", value));
    return value;
  }

  void start_set(bool include, std::vector<int> first = {}) {
    std::vector<char> listed(states_.count, 0);
    for (int s : first) listed[s] = 1;
    if (first.empty() && !in_.is(Kind::kNumber) && !in_.is(Kind::kWord)) one(states_);  // says so
    while (in_.is(Kind::kNumber) || at_name()) listed[one(states_)] = 1;
    const int64_t count = std::count(listed.begin(), listed.end(), include);
    if (count == 0) fail("no state is left to start in");
    std::vector<SparseRows::Entry> row;
    for (int s = 0; s < states_.count; ++s)
      if (bool(listed[s]) == include) row.push_back({s, 1.0 / static_cast<double>(count)});
    start_->row(std::move(row));
  }

  const SourceText& source_;
  const ReadOptions& options_;
  Warnings warnings_;
  PomdpScanner in_;
  FactoredModel model_;
  Names states_{"state"}, actions_{"action"}, observations_{"observation"};
  bool has_discount_ = false, costs_ = false, mdp_ = false, body_ = false;
  std::optional<PatternTable> start_, transition_, observation_, reward_;
};

}  // namespace

ModelFile read_pomdp_text(std::string path, std::string text, const ReadOptions& options) {
  const SourceText source(std::move(path), std::move(text));
  return Reader(source, options).read();
}

ModelFile read_pomdp_file(const std::string& path, const ReadOptions& options) {
  const SourceText source = SourceText::load(path, options.memory_limit / 10);
  return Reader(source, options).read();
}

}  // namespace penumbra
