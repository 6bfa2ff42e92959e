#include "penumbra/io/pomdpx_file.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <memory>

#include "penumbra/base/error.h"
#include "penumbra/base/spec.h"
#include "penumbra/io/pattern_table.h"
#include "penumbra/io/pomdpx_dag.h"
#include "penumbra/io/pomdpx_variables.h"

namespace penumbra {
namespace {

using Role = PomdpxVariables::Role;

// The four parts that hold functions.
enum class Part { kStart, kTransition, kObservation, kReward };

class Reader {
 public:
  Reader(const SourceText& source, const ReadOptions& options)
      : source_(source),
        options_(options),
        warnings_(source, options.strict),
        xml_(source),
        variables_(xml_, model_, options) {
    model_.name = source.path();
  }

  ModelFile read() {
    if (!xml_.next_child()) source_.fail(0, "this is not a POMDPX document: it has no element");
    if (xml_.name() != "pomdpx")
      xml_.fail(fmt::format("<pomdpx> is expected, not <{}>", quoted(xml_.name())));
    while (xml_.next_child()) section();
    end_ = xml_.at();
    if (xml_.next_child()) xml_.fail("a second element after </pomdpx>");
    complete();
    ModelFile file{expand_checked()};
    file.warnings = warnings_.take();
    file.factored = std::make_shared<const FactoredModel>(std::move(model_));
    return file;
  }

 private:
  Tabular expand_checked() const {
    try {
      return expand(model_, options_);
    } catch (const Error& e) {
      const std::string text = e.what();
      throw Error(text.starts_with(source_.path()) ? text : source_.path() + ": " + text);
    }
  }

  void section() {
    const std::string_view name = xml_.name();
    if (name == "Description") return xml_.skip();
    if (name == "Discount") return discount();
    if (name == "Variable") {
      if (!model_.states.empty()) xml_.fail("a second <Variable>");
      variables_.read();
      model_.start.resize(model_.states.size());
      model_.transition.resize(model_.states.size());
      model_.observation.resize(model_.observations.size());
      for (auto* given : {&has_start_, &has_transition_}) given->assign(model_.states.size(), 0);
      has_observation_.assign(model_.observations.size(), 0);
      return;
    }
    const std::vector<std::string> names = {"InitialStateBelief",
                                            "StateTransitionFunction",
                                            "ObsFunction",
                                            "RewardFunction",
                                            "Description",
                                            "Discount",
                                            "Variable"};
    for (int part = 0; part < 4; ++part)
      if (name == names[part]) {
        if (model_.states.empty()) xml_.fail("<Variable> must stand before this");
        return functions(static_cast<Part>(part));
      }
    warnings_.add(xml_.at(), fmt::format("the element <{}> is not known and left out{}",
                                         quoted(name), did_you_mean(name, names)));
    xml_.skip();
  }

  void discount() {
    std::string_view rest = xml_.content();
    const std::string_view word = next_word(rest);
    const size_t at = xml_.place(word);
    if (!parse_number(std::string(word), model_.discount) || !next_word(rest).empty())
      xml_.fail(at, fmt::format("the discount must be a number, not {}", quoted(word)));
    if (!(model_.discount >= 0 && model_.discount < 1))
      xml_.fail(at, fmt::format("the discount {} is not in [0, 1){}", model_.discount,
                                model_.discount == 1 ? ": write 0.999, say" : ""));
    has_discount_ = true;
  }

  void functions(Part part) {
    const char* expected = part == Part::kReward ? "Func" : "CondProb";
    while (xml_.next_child()) {
      if (xml_.name() != "Func" && xml_.name() != "CondProb")
        xml_.fail(fmt::format("<{}> is expected, not <{}>", expected, quoted(xml_.name())));
      function(part);
    }
  }

  struct Function {
    size_t at;
    int described = -1;          // slot; none of a reward
    std::vector<int> parents{};  // slots, in the order of the file
    bool has_var = false, has_parent = false, has_parameter = false;
  };

  void function(Part part) {
    Function f{xml_.at()};
    while (xml_.next_child()) {
      const std::string_view name = xml_.name();
      if (name == "Var") {
        read_var(part, f);
      } else if (name == "Parent") {
        read_parents(part, f);
      } else if (name == "Parameter") {
        if (!f.has_var) xml_.fail("<Var> must stand before <Parameter>");
        if (f.has_parameter) xml_.fail("a second <Parameter>");
        f.has_parameter = true;
        read_parameter(part, f);
      } else {
        xml_.fail(fmt::format("<{}> has no place here; <Var>, <Parent> and <Parameter> have",
                              quoted(name)));
      }
    }
    if (!f.has_parameter) xml_.fail(f.at, "<Parameter> is missing");
  }

  void read_var(Part part, Function& f) {
    std::string_view rest = xml_.content();
    const std::string_view word = next_word(rest);
    const size_t at = xml_.place(word);
    if (f.has_var || word.empty() || !next_word(rest).empty())
      xml_.fail(at, "one variable is expected in <Var>");
    f.has_var = true;
    if (part == Part::kReward) {
      if (!variables_.is_reward(word))
        xml_.fail(at, fmt::format("there is no <RewardVar> {}", quoted(word)));
      return;
    }
    f.described = variables_.slot(word, at);
    const Role wanted = part == Part::kStart        ? Role::kBefore
                        : part == Part::kTransition ? Role::kAfter
                                                    : Role::kSeen;
    if (variables_.role(f.described) != wanted)
      xml_.fail(at, fmt::format("{} cannot be described here; a {} can", quoted(word),
                                part == Part::kStart        ? "vnamePrev of a state"
                                : part == Part::kTransition ? "vnameCurr of a state"
                                                            : "variable of <ObsVar>"));
  }

  void read_parents(Part part, Function& f) {
    if (f.has_parent) xml_.fail("a second <Parent>");
    if (!f.has_var) xml_.fail("<Var> must stand before <Parent>");
    f.has_parent = true;
    std::string_view rest = xml_.content();
    for (std::string_view word; !(word = next_word(rest)).empty();) {
      if (word == "null") continue;
      const size_t at = xml_.place(word);
      const int slot = variables_.slot(word, at);
      const Role role = variables_.role(slot);
      const bool fits = part == Part::kStart         ? role == Role::kBefore
                        : part == Part::kTransition  ? role != Role::kSeen
                        : part == Part::kObservation ? role == Role::kAction || role == Role::kAfter
                                                     : true;
      if (!fits || slot == f.described)
        xml_.fail(at, fmt::format("{} cannot be a parent here", quoted(word)));
      for (int other : f.parents)
        if (other == slot) xml_.fail(at, fmt::format("the parent {} stands twice", quoted(word)));
      f.parents.push_back(slot);
    }
  }

  void read_parameter(Part part, const Function& f) {
    const std::string* type = xml_.attribute("type");
    Diagram diagram;
    if (!type || *type == "TBL")
      diagram = read_table(part, f);
    else if (*type == "DD")
      diagram = read_dag(f);
    else
      xml_.fail(
          fmt::format("a parameter of type {} cannot be read; TBL and DD can", quoted(*type)));
    if (part == Part::kReward) {
      model_.rewards.push_back(std::move(diagram));
      return;
    }
    auto& list = part == Part::kStart        ? model_.start
                 : part == Part::kTransition ? model_.transition
                                             : model_.observation;
    auto& given = part == Part::kStart        ? has_start_
                  : part == Part::kTransition ? has_transition_
                                              : has_observation_;
    const int first = part == Part::kStart        ? model_.before(0)
                      : part == Part::kTransition ? model_.after(0)
                                                  : model_.seen(0);
    if (given[f.described - first]++)
      xml_.fail(f.at,
                fmt::format("{} is described twice", quoted(variables_.slot_name(f.described))));
    list[f.described - first] = std::move(diagram);
  }

  PatternTable::Report report(const Function& f, std::vector<int> path_slots) {
    PatternTable::Report r;
    const std::string what =
        f.described < 0 ? "rewards" : quoted(variables_.slot_name(f.described));
    r.bad_row = [this, f, what, path_slots](std::span<const int> path, double sum, size_t at) {
      std::string where;
      for (size_t i = 0; i < path.size(); ++i)
        if (path[i] >= 0)
          where += fmt::format("{}{}={}", where.empty() ? " given " : ", ",
                               variables_.slot_name(path_slots[i]),
                               variables_.value_name(path_slots[i], path[i]));
      if (at == std::string::npos)
        xml_.fail(f.at, fmt::format("{}{}: no probability is given", what, where));
      xml_.fail(at, fmt::format("{}{}: the probabilities sum to {:.10g}, not 1", what, where, sum));
    };
    r.too_complex = [this, f, what] {
      xml_.fail(f.at, fmt::format("the entries for {} overlap too much to be read", what));
    };
    return r;
  }

  void warn_about(const Function& f, const PatternTable::Report& r) {
    if (r.scaled > 0)
      warnings_.add(r.first_at == std::string::npos ? f.at : r.first_at,
                    fmt::format("{}: {} row{} off 1 by up to {:.2g}; scaled",
                                quoted(variables_.slot_name(f.described)), r.scaled,
                                r.scaled == 1 ? " is" : "s are", r.worst));
  }

  Diagram read_table(Part part, const Function& f) {
    std::vector<PatternTable::Column> columns;
    std::vector<int> slots = f.parents;
    if (f.described >= 0) slots.push_back(f.described);
    const std::vector<int> sizes = model_.slot_sizes();
    for (int slot : slots) columns.push_back({slot, sizes[slot]});
    PatternTable table(columns, part != Part::kReward);
    std::vector<int> pattern(slots.size());
    while (xml_.next_child()) {
      if (xml_.name() != "Entry")
        xml_.fail(fmt::format("<Entry> is expected, not <{}>", quoted(xml_.name())));
      read_entry(part, slots, table, pattern);
    }
    std::vector<int> path_slots = f.parents;
    std::sort(path_slots.begin(), path_slots.end());
    PatternTable::Report r = report(f, path_slots);
    Diagram diagram = table.build(sizes, r);
    warn_about(f, r);
    return diagram;
  }

  void read_entry(Part part, const std::vector<int>& slots, PatternTable& table,
                  std::vector<int>& pattern) {
    const size_t at = xml_.at();
    bool instance = false, numbers = false;
    while (xml_.next_child()) {
      const std::string_view name = xml_.name();
      if (name == "Instance") {
        if (instance) xml_.fail("a second <Instance>");
        instance = true;
        read_instance(slots, pattern);
        table.begin(pattern, at);
      } else if (name == "ProbTable" || name == "ValueTable") {
        if (!instance) xml_.fail("<Instance> must stand before the numbers");
        if (numbers) xml_.fail("a second table of numbers");
        numbers = true;
        if (name == "ValueTable" && part != Part::kReward)
          xml_.fail("probabilities stand in a <ProbTable>");
        read_numbers(part, table, pattern);
      } else {
        xml_.fail(fmt::format("<{}> has no place in an <Entry>", quoted(name)));
      }
    }
    if (!numbers) xml_.fail(at, "this entry has no numbers");
  }

  void read_instance(const std::vector<int>& slots, std::vector<int>& pattern) {
    std::string_view rest = xml_.content();
    const size_t at = xml_.place(rest);
    size_t count = 0;
    for (std::string_view word; !(word = next_word(rest)).empty(); ++count) {
      if (count == slots.size())
        xml_.fail(xml_.place(word),
                  fmt::format("{} values are expected: one for each parent and the variable",
                              slots.size()));
      pattern[count] = word == "*"   ? PatternTable::kAny
                       : word == "-" ? PatternTable::kEach
                                     : variables_.value(slots[count], word, xml_.place(word));
    }
    if (count < slots.size())
      xml_.fail(at, fmt::format("{} values are expected and {} given; {} is missing", slots.size(),
                                count, quoted(variables_.slot_name(slots[count]))));
  }

  void read_numbers(Part part, PatternTable& table, const std::vector<int>& pattern) {
    const bool probabilities = part != Part::kReward;
    std::string_view rest = xml_.content();
    const std::string_view all = rest;
    const double expected = table.num_expected();
    for (std::string_view word; !(word = next_word(rest)).empty();) {
      if (table.num_given() == 0 && probabilities && (word == "uniform" || word == "identity")) {
        special(word, table, pattern);
        if (!next_word(rest).empty())
          xml_.fail(xml_.place(word), fmt::format("{} stands alone", word));
        return;
      }
      if (table.num_given() == expected)
        xml_.fail(xml_.place(word), fmt::format("{:.0f} numbers are expected, not more", expected));
      const char* begin = word.data() + (word[0] == '+' && word.size() > 1 && word[1] != '-');
      const char* last = word.data() + word.size();
      double value = 0;
      const auto [end, error] = std::from_chars(begin, last, value);
      if (error == std::errc::result_out_of_range && end == last && !std::isfinite(value))
        xml_.fail(xml_.place(word), "this number is too large");
      if ((error != std::errc() && error != std::errc::result_out_of_range) || end != last ||
          !std::isfinite(value))
        xml_.fail(xml_.place(word), fmt::format("{} is not a number", quoted(word)));
      if (probabilities && !(value >= 0 && value <= 1 + PatternTable::kTolerance))
        xml_.fail(xml_.place(word),
                  fmt::format("{} is not a probability: it must be from 0 to 1", word));
      table.number(value);
    }
    if (table.num_given() != expected)
      xml_.fail(xml_.place(all), fmt::format("{:.0f} numbers are expected and {:.0f} given",
                                             expected, table.num_given()));
  }

  void special(std::string_view word, PatternTable& table, const std::vector<int>& pattern) {
    const size_t at = xml_.place(word);
    if (pattern.back() == PatternTable::kAny || pattern.back() >= 0)
      xml_.fail(at, fmt::format("{} needs '-' for the variable itself", word));
    if (word == "uniform") return table.uniform();
    if (std::count(pattern.begin(), pattern.end(), PatternTable::kEach) != 2 || !table.is_square())
      xml_.fail(at, "identity needs two '-', of variables with as many values");
    table.identity();
  }

  Diagram read_dag(const Function& f) {
    DagNames names;
    names.slot = [this, &f](std::string_view name, size_t at) {
      const int slot = variables_.slot(name, at);
      if (slot != f.described &&
          std::find(f.parents.begin(), f.parents.end(), slot) == f.parents.end())
        xml_.fail(at, fmt::format("{} is not among the parents", quoted(name)));
      return slot;
    };
    names.value = [this](int slot, std::string_view name, size_t at) {
      return variables_.value(slot, name, at);
    };
    names.before = [this](int slot, size_t at) {
      if (variables_.role(slot) != Role::kAfter)
        xml_.fail(at, "persistent is for a state after the step");
      return slot - static_cast<int>(model_.states.size());
    };
    PomdpxDag dag(xml_, names, model_.slot_sizes(), f.described);
    dag.read();
    std::vector<int> path_slots;
    const std::vector<bool> tested = dag.tested();
    for (int s = 0; s < static_cast<int>(tested.size()); ++s)
      if (tested[s] && s != f.described) path_slots.push_back(s);
    PatternTable::Report r = report(f, path_slots);
    Diagram diagram = dag.build(r, f.at);
    warn_about(f, r);
    return diagram;
  }

  // What may be left out is filled in; what may not is asked for.
  void complete() {
    auto missing = [&](const std::string& what) { xml_.fail(end_, what); };
    if (model_.states.empty()) missing("there is no <Variable>");
    if (!has_discount_) missing("there is no <Discount>");
    for (size_t i = 0; i < model_.states.size(); ++i) {
      const std::string name = quoted(model_.states[i].name);
      if (!has_transition_[i]) missing("there is no transition function of " + name);
      if (has_start_[i]) continue;
      if (!model_.states[i].visible) missing("there is no initial belief of " + name);
      warnings_.add(end_, fmt::format("there is no initial belief of {}: uniform", name));
      PatternTable table({{model_.before(i), model_.states[i].size}}, true);
      table.begin(std::array{PatternTable::kEach}, end_);
      table.uniform();
      PatternTable::Report r = report({end_, model_.before(i)}, {});
      model_.start[i] = table.build(model_.slot_sizes(), r);
    }
    for (size_t i = 0; i < model_.observations.size(); ++i)
      if (!has_observation_[i])
        missing("there is no observation function of " + quoted(model_.observations[i].name));
    if (model_.rewards.empty()) warnings_.add(end_, "there is no reward function: rewards are 0");
  }

  const SourceText& source_;
  const ReadOptions& options_;
  Warnings warnings_;
  FactoredModel model_;
  XmlReader xml_;
  PomdpxVariables variables_;
  bool has_discount_ = false;
  size_t end_ = 0;
  std::vector<char> has_start_, has_transition_, has_observation_;
};

}  // namespace

ModelFile read_pomdpx_text(std::string path, std::string text, const ReadOptions& options) {
  const SourceText source(std::move(path), std::move(text));
  return Reader(source, options).read();
}

ModelFile read_pomdpx_file(const std::string& path, const ReadOptions& options) {
  const SourceText source = SourceText::load(path, options.memory_limit / 10);
  return Reader(source, options).read();
}

}  // namespace penumbra
