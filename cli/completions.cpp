#include "cli/completions.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "cli/flags.h"
#include "cli/listings.h"
#include "domains/registry.h"
#include "penumbra/base/error.h"
#include "penumbra/search/planners.h"
#include "penumbra/solvers/registry.h"

namespace penumbra::cli {
namespace {

enum class Fills { kModel, kPolicy, kSolver, kPlanner, kCommand, kWords, kFiles, kFolders };

// What an argument or the value of an option is. Those that are not here are numbers and texts.
struct Place {
  const char* name;
  Fills fills;
  const char* details = "";  // words, or endings of files
};
constexpr const char* kPolicyFiles = ".policy .policyx .alpha .pg";
constexpr Place kPlaces[] = {
    {"COMMAND", Fills::kCommand},
    {"DOMAIN", Fills::kModel},
    {"MODEL", Fills::kModel},
    {"--model", Fills::kModel},
    {"SOLVER", Fills::kSolver},
    {"--solver", Fills::kSolver},
    {"PLANNER", Fills::kPlanner},
    {"--policy", Fills::kPolicy},
    {"--against", Fills::kPolicy},
    {"POLICY", Fills::kFiles, kPolicyFiles},
    {"EXPERIMENT", Fills::kFiles, ".toml"},
    {"SPACE", Fills::kFiles, ".toml"},
    {"--config", Fills::kFiles, ".toml"},
    {"SOURCE", Fills::kFiles, ".cpp"},
    {"OUTPUT", Fills::kFiles},
    {"--output", Fills::kFiles},
    {"--results", Fills::kFiles},
    {"RUN", Fills::kFolders},
    {"FOLDER", Fills::kFolders},
    {"--run", Fills::kFolders},
    {"--out", Fills::kFolders},
    {"--execute", Fills::kWords, "controller belief"},
    {"--format", Fills::kWords, "c dot json"},
    {"--scale", Fills::kWords, "smoke hour paper"},
};

std::vector<std::string> split_words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// "one of auto, blind, cells": its words. Empty for numbers and free text.
std::vector<std::string> choices_of(const std::string& allowed) {
  constexpr const char* kBegin = "one of ";
  if (!allowed.starts_with(kBegin)) return {};
  std::string list = allowed.substr(std::string(kBegin).size());
  std::replace(list.begin(), list.end(), ',', ' ');
  return split_words(list);
}

// The answer for one word. The prefix, --solver= of --solver=nv, is part of what a shell replaces
// unless it is one that took the word apart.
class Answer {
 public:
  Answer(std::string typed, std::string prefix, bool hide_prefix)
      : typed_(std::move(typed)), prefix_(std::move(prefix)), hide_(hide_prefix) {}

  const std::string& typed() const { return typed_; }

  void add(const std::string& word, const std::string& help = "") {
    if (!word.starts_with(typed_)) return;
    fmt::print("{}{}\t{}\n", hide_ ? "" : prefix_, word, help);
  }
  void add_all(const std::vector<std::string>& words) {
    for (const std::string& word : words) add(word);
  }
  void add_files(const std::string& endings) { fmt::print(":files\t{}\n", endings); }
  void add_folders() { fmt::print(":folders\t\n"); }

  // Parameters in the bracket that is open: those not given yet, or the values of the last one.
  void add_parameters(const std::vector<Params::Declaration>& declared) {
    size_t begin = typed_.find('(') + 1;
    std::vector<std::string> given;
    int depth = 0;
    for (size_t i = begin; i < typed_.size(); ++i) {
      if (typed_[i] == '[' || typed_[i] == '(') ++depth;
      if (typed_[i] == ']' || typed_[i] == ')') --depth;
      if (typed_[i] != ',' || depth > 0) continue;
      given.push_back(typed_.substr(begin, typed_.find('=', begin) - begin));
      begin = i + 1;
    }
    const std::string before = typed_.substr(0, begin), part = typed_.substr(begin);
    const size_t equals = part.find('=');
    for (const Params::Declaration& p : declared) {
      if (equals != std::string::npos) {
        if (part.substr(0, equals) != p.name) continue;
        for (const std::string& value : choices_of(p.allowed)) add(before + p.name + "=" + value);
      } else if (std::find(given.begin(), given.end(), p.name) == given.end()) {
        add(before + p.name + "=", fmt::format("{} ({})", p.help, p.fallback));
      }
    }
  }

 private:
  std::string typed_, prefix_;
  bool hide_;
};

void add_models(Answer& answer, bool files) {
  const std::string& typed = answer.typed();
  if (const size_t bracket = typed.find('('); bracket != std::string::npos) {
    for (const Domain& d : domains())
      if (typed.substr(0, bracket) == d.name) answer.add_parameters(domain_parameters(d));
    return;
  }
  for (const Domain& d : domains()) answer.add(d.name, d.summary);
  if (files) answer.add_files(".pomdp .pomdpx .cpp .so");
}

void add_policies(Answer& answer) {
  const std::string& typed = answer.typed();
  if (const size_t bracket = typed.find('('); bracket != std::string::npos) {
    if (search::is_planner(typed.substr(0, bracket)))
      answer.add_parameters(planner_parameters(typed.substr(0, bracket)));
    return;
  }
  answer.add("random", "every action with the same probability");
  answer.add("blind", "always one action: 'blind(action=NAME)'");
  answer.add("expert", "the hand-made policy of the domain");
  for (const search::PlannerInfo& p : search::planners()) answer.add(p.name, p.summary);
  answer.add_files(kPolicyFiles);
}

void add_commands(Answer& answer, const CLI::App& app) {
  for (const CLI::App* sub : app.get_subcommands({}))
    answer.add(sub->get_name(), sub->get_description());
}

// The choices of an option of the solver that the command line names.
void add_choices(Answer& answer, const std::string& option, const std::string& solver) {
  for (const SolverEntry& entry : solvers()) {
    if (entry.name != solver) continue;
    const std::unique_ptr<Solver> made = entry.make();
    const OptionList list = made->options();
    for (const Option& o : list.options())
      if ("--" + o.name == option) answer.add_all(choices_of(o.allowed));
  }
}

void add_values(Answer& answer, const std::string& place, const CLI::App& app,
                const CLI::App* command, const std::string& solver) {
  const auto found = std::find_if(std::begin(kPlaces), std::end(kPlaces),
                                  [&](const Place& p) { return p.name == place; });
  if (found == std::end(kPlaces)) return add_choices(answer, place, solver);
  switch (found->fills) {
    case Fills::kModel:
      return add_models(answer, command->get_name() != "domains");
    case Fills::kPolicy:
      return add_policies(answer);
    case Fills::kSolver:
      if (command->get_name() == "solve") answer.add("auto", "by what the model offers");
      for (const SolverEntry& s : solvers()) answer.add(s.name, s.summary);
      return;
    case Fills::kPlanner:
      for (const search::PlannerInfo& p : search::planners()) answer.add(p.name, p.summary);
      return;
    case Fills::kCommand:
      return add_commands(answer, app);
    case Fills::kWords:
      return answer.add_all(split_words(found->details));
    case Fills::kFiles:
      return answer.add_files(found->details);
    case Fills::kFolders:
      return answer.add_folders();
  }
}

// "--output" of -o and --output: the name that the table of places has.
std::string long_name(const CLI::Option& option) {
  if (!option.get_lnames().empty()) return "--" + option.get_lnames().front();
  return option.get_name();
}

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
  for (const CLI::App* sub : app.get_subcommands({}))
    if (sub->get_name() == name) return sub;
  return nullptr;
}

const CLI::Option* find_option(const CLI::App& command, const std::string& word) {
  return word.starts_with("-") ? command.get_option_no_throw(word.substr(0, word.find('=')))
                               : nullptr;
}

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

// Names of options, but those that are given.
void add_options(Answer& answer, const CLI::App& command,
                 const std::vector<const CLI::Option*>& given) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty() || option->get_positional()) continue;
    if (std::find(given.begin(), given.end(), option) == given.end())
      answer.add(long_name(*option), option->get_description());
  }
}

std::string argument_name(const CLI::App& command, size_t number) {
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional() && number-- == 0) return option->get_name(true);
  return "";
}

}  // namespace

std::vector<std::string> joined_words(const std::vector<std::string>& words) {
  std::vector<std::string> joined;
  bool join = false;
  for (const std::string& word : words) {
    const bool is_equals = word == "=" && !joined.empty() && joined.back().starts_with("--");
    if (is_equals || join)
      joined.back() += word;
    else
      joined.push_back(word);
    join = is_equals;
  }
  return joined;
}

void print_completions(const CLI::App& app, const std::vector<std::string>& words) {
  const std::vector<std::string> joined = joined_words(words);
  const std::string typed = joined.empty() ? "" : joined.back();
  if (joined.size() < 2) {
    Answer answer(typed, "", false);
    add_commands(answer, app);
    answer.add("help", "options and examples of a command");
    answer.add("--help", "the commands");
    answer.add("--version", "the version and the commit");
    return;
  }
  const bool help = joined[0] == "help";
  const CLI::App* command = help ? &app : find_command(app, joined[0]);
  if (!command) return;

  std::vector<const CLI::Option*> given;
  const CLI::Option* open = nullptr;  // its value comes next
  size_t arguments = 0;
  for (size_t i = 1; i + 1 < joined.size(); ++i) {
    if (std::exchange(open, nullptr)) continue;
    const CLI::Option* option = find_option(*command, joined[i]);
    if (option) given.push_back(option);
    if (option && takes_value(*option) && joined[i].find('=') == std::string::npos) open = option;
    if (!joined[i].starts_with("-")) ++arguments;
  }
  const size_t equals = typed.starts_with("--") ? typed.find('=') : std::string::npos;
  std::string prefix;
  if (!open && equals != std::string::npos) {
    open = find_option(*command, typed);
    prefix = typed.substr(0, equals + 1);
    if (!open) return;
  }
  Answer answer(typed.substr(prefix.size()), prefix, words.back() != joined.back());
  const std::string solver = argument_of(joined, "--solver");
  if (open)
    add_values(answer, long_name(*open), app, command, solver);
  else if (typed.starts_with("-"))
    add_options(answer, *command, given);
  else
    add_values(answer, help ? "COMMAND" : argument_name(*command, arguments), app, command, solver);
}

}  // namespace penumbra::cli
