#include "cli/program.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>

#include "cli/command.h"
#include "cli/completions.h"
#include "cli/manual.h"
#include "cli/trust.h"
#include "penumbra/base/error.h"
#include "penumbra/base/spec.h"
#include "penumbra/runs/config.h"
#include "penumbra/runs/version.h"

namespace penumbra::cli {
namespace {

constexpr Command kCommands[] = {
    {"solve", "compute a policy, score it and save it", declare_solve, Ranks::kAll},
    {"resume", "go on with a run that was stopped or killed", declare_resume, Ranks::kAll},
    {"watch", "show how a run in another process goes", declare_watch},
    {"tune", "search for good options of a solver", declare_tune, Ranks::kAll},
    {"domains", "list the problems and their parameters", declare_domains},
    {"evaluate", "score a policy by simulation, or compare two", declare_evaluate, Ranks::kAll},
    {"simulate", "show one episode step by step", declare_simulate},
    {"inspect", "show what a policy is made of and what of it is used", declare_inspect},
    {"report", "runs as one page: charts, the controller, episodes", declare_report},
    {"export", "write a policy as a C header, a graph or JSON", declare_export},
    {"check", "tell what is wrong or odd about a model, and its size", declare_check},
    {"new", "write a small project around a problem of your own", declare_new},
    {"build", "compile a model of your own to keep", declare_build},
    {"convert", "write a model as a .pomdp or .pomdpx file", declare_convert},
    {"solvers", "list the solvers and their options", declare_solvers},
    {"planners", "list the planners that plan while they act", declare_planners},
    {"bench", "run an experiment: models x solvers x seeds, table and figures", declare_bench},
};

constexpr const char* kMainExamples =
    "Examples:\n"
    "  penumbra solve 'rock-sample(n=7,k=8,map_seed=1)' --time 1m -o rs7.policy\n"
    "  penumbra domains\n"
    "  penumbra evaluate 'rock-sample(n=7,k=8)' --policy 'blind(action=east)' --episodes 100000\n"
    "  penumbra simulate 'rock-sample(n=5,k=3)' --policy random\n"
    "  penumbra evaluate --help          options and examples of a command\n"
    "\n"
    "Exit codes: 0 done; 1 bad input or usage; 2 internal error; 130 interrupted, with the result\n"
    "so far. Results go to stdout, progress and errors to stderr.\n";

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Command& c : kCommands) names.push_back(c.name);
  return names;
}

// Unknown commands are told before CLI11 sees them: it would speak of unexpected arguments.
void check_command(const std::string& word) {
  const std::vector<std::string> names = command_names();
  if (std::find(names.begin(), names.end(), word) != names.end()) return;
  if (word == "-h" || word == "--help" || word == "--version") return;
  if (word.starts_with("-"))
    throw Error(
        fmt::format("there is no option '{}' before the command; options go after it "
                    "(see penumbra --help)",
                    word));
  throw Error(fmt::format("there is no command '{}'{}; there are {}", word,
                          did_you_mean(word, names), fmt::join(names, ", ")));
}

// An argument that nobody takes.
std::string explain_extra(const std::string& word, const CLI::App& command, const Flags& flags) {
  if (!word.starts_with("-")) return fmt::format("'{}' is one argument too many", word);
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    if (!option->get_group().empty()) names.push_back(option->get_name());
  const std::string& solver = flags.shown_solver();
  return fmt::format("there is no option '{}'{}{}", word,
                     solver.empty() ? "" : " with the solver " + solver, did_you_mean(word, names));
}

// What CLI11 says about a command line, as one line in our words.
std::string explain(const CLI::ParseError& error, const CLI::App& app,
                    const std::vector<std::unique_ptr<Flags>>& flags) {
  std::string text = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) {
    const bool twice = text.find("received 2") != std::string::npos;
    text = text.substr(0, text.find(':')) + (twice ? " is given twice" : " needs one value");
  }
  for (const CLI::App* sub : app.get_subcommands()) {
    const std::vector<std::string> extras = sub->remaining(), names = command_names();
    const size_t command = std::find(names.begin(), names.end(), sub->get_name()) - names.begin();
    if (dynamic_cast<const CLI::ExtrasError*>(&error) && !extras.empty())
      text = explain_extra(extras[0], *sub, *flags[command]);
    return fmt::format("{} (see penumbra {} --help)", text, sub->get_name());
  }
  return text + " (see penumbra --help)";
}

// Options from the file that --config names and from the environment; the command line, which is
// read after them, stands above both.
void configure(const std::vector<std::string>& arguments,
               const std::vector<std::unique_ptr<Flags>>& flags) {
  const std::vector<std::string> names = command_names();
  const auto command = std::find(names.begin(), names.end(), arguments[0]);
  if (command == names.end()) return;
  const Flags& wanted = *flags[command - names.begin()];
  if (asks_for_help(arguments)) return wanted.prepare(arguments);
  if (const std::string file = argument_of(arguments, "--config"); !file.empty())
    for (const auto& [name, table] : read_config(file)) {
      const auto at = std::find(names.begin(), names.end(), name);
      if (at == names.end())
        throw Error(
            fmt::format("{}: there is no command '{}'{}", file, name, did_you_mean(name, names)));
      // Tables of other commands are checked too: a misspelt key is never silent.
      for (const auto& [key, value] : table)
        flags[at - names.begin()]->set(key, value, fmt::format("{}: [{}] ", file, name));
    }
  read_environment(wanted);
  wanted.prepare(arguments);
}

// What shells and packages ask for; not for people, so neither listed nor checked as commands are.
bool answer_machines(const std::vector<std::string>& arguments, const CLI::App& app,
                     const std::vector<std::unique_ptr<Flags>>& flags, const Team& team) {
  const bool manual = arguments[0] == "manual" && arguments.size() == 2;
  if (arguments[0] != "complete" && !manual) return false;
  if (!team.leads()) return true;
  if (manual) {
    write_manual(app, arguments[1]);
    return true;
  }
  const std::vector<std::string> words(arguments.begin() + 1, arguments.end());
  const std::vector<std::string> names = command_names();
  try {
    // So that the options of the solver are among those that are shown.
    if (const auto at = std::find(names.begin(), names.end(), words.empty() ? "" : words[0]);
        at != names.end())
      flags[at - names.begin()]->prepare(joined_words(words));
  } catch (const Error&) {  // a line that is not finished may well be wrong
  }
  print_completions(app, words);
  return true;
}

int parse_and_run(std::vector<std::string> arguments, Team& team) {
  CLI::App app("Plans under partial observability: describe a problem, score policies on it.",
               "penumbra");
  app.set_version_flag("--version", program_version());
  app.require_subcommand(1);
  app.footer(kMainExamples);
  app.get_formatter()->column_width(28);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  std::vector<std::unique_ptr<Flags>> flags;
  std::vector<std::pair<CLI::App*, std::function<int()>>> commands;
  std::string config;
  bool trust = false;  // read by is_named_or_trusted()
  for (const Command& c : kCommands) {
    CLI::App* sub = app.add_subcommand(c.name, c.summary)->group("Commands");
    flags.push_back(std::make_unique<Flags>(sub, team));
    commands.emplace_back(sub, c.declare(*flags.back()));
    sub->add_option("--config", config, "take options from this file (docs/runs.md)")
        ->type_name("FILE");
    sub->add_flag("--trust", trust, "run models (.cpp, .so) that files name, not only you");
  }
  if (arguments.empty()) {
    fmt::print(stderr, "{}", app.help());
    return kBadInput;
  }
  // `penumbra help evaluate` is `penumbra evaluate --help`.
  if (arguments[0] == "help") {
    arguments.erase(arguments.begin());
    arguments.push_back("--help");
  }
  if (answer_machines(arguments, app, flags, team)) return kOk;
  check_command(arguments[0]);
  remember_arguments(arguments);
  configure(arguments, flags);
  std::reverse(arguments.begin(), arguments.end());  // the order that CLI11 wants
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::Success& help) {  // --help or --version
    app.exit(help);
    return kOk;
  } catch (const CLI::ParseError& error) {
    throw Error(explain(error, app, flags));
  }
  for (size_t i = 0; i < commands.size(); ++i) {
    const auto& [sub, run] = commands[i];
    if (sub->parsed()) return kCommands[i].ranks == Ranks::kAll || team.leads() ? run() : kOk;
  }
  return kBadInput;
}

int fail(int code, const std::string& message) {
  std::fflush(stdout);
  fmt::print(stderr, "penumbra: {}\n", message);
  return code;
}

int fail_of_bug(const char* words) {
  return fail(kInternalError,
              fmt::format("internal error: {}. This is a bug: please report it with the "
                          "command line",
                          words));
}

// What one rank throws all ranks throw; they end together.
int run_as_rank(const std::vector<std::string>& arguments, Team& team) {
  if (team.size() == 1) return parse_and_run(arguments, team);
  try {
    const int code = parse_and_run(arguments, team);
    team.finish();
    return code;
  } catch (...) {
    team.fail_of_exception();
  }
}

}  // namespace

int run_program(const std::vector<std::string>& arguments, Team& team) {
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is an error of write, not the end
  try {
    const int code = run_as_rank(arguments, team);
    if (std::fflush(stdout) != 0)
      return fail(kBadInput, fmt::format("cannot write the result: {}", std::strerror(errno)));
    return code;
  } catch (const TeamOver&) {
    return kOk;
  } catch (const TeamError& error) {
    return error.bug ? fail_of_bug(error.what()) : fail(kBadInput, error.what());
  } catch (const Error& error) {
    return fail(kBadInput, error.what());
  } catch (const std::bad_alloc&) {
    return fail(kInternalError, "out of memory: try a smaller problem");
  } catch (const std::exception& error) {
    return fail_of_bug(error.what());
  }
}

}  // namespace penumbra::cli
