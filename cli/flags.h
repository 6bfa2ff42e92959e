// The options of a command: it declares them here, and they are filled in before it runs, from a
// configuration file, the environment and the command line (runs/config.h). The parser (CLI11)
// stays behind this header, because its own is slow to compile.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "penumbra/base/team.h"
#include "penumbra/runs/option_record.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace penumbra::cli {

// The values must outlive the parsing.
class Flags final : public OptionRecord {
 public:
  // `team`: of the processes that run the command.
  Flags(CLI::App* app, Team& team) : app_(app), team_(team) {}

  Team& team() const { return team_; }

  void positional(const char* name, std::string& value, Need need, const char* help) override;
  void text(const char* name, std::string& value, Need need, const char* help) override;
  void text_or(const char* name, std::string& value, const char* alone, const char* help) override;
  // --name for an option of a solver. It is not in --help.
  void setting(const Option& option, std::string& value) override;
  void flag(const char* name, bool& value, const char* help) override;
  void count(const char* name, uint64_t& value, uint64_t low, uint64_t high,
             const char* help) override;
  // Puts these, which are declared, into --help as the options of a solver, with the help and
  // defaults that they have there.
  void show_settings(const OptionList& options, const std::string& solver);
  // The solver whose options are shown; empty: none.
  const std::string& shown_solver() const { return shown_solver_; }
  // Stands at the end of the command's --help.
  void examples(const char* text);
  // Called with the arguments before they are parsed.
  void before_parsing(std::function<void(const std::vector<std::string>&)> prepare);
  void prepare(const std::vector<std::string>& arguments) const;

 private:
  // A value from elsewhere makes a required option optional on the command line.
  void relax_when_set(CLI::Option* option);

  CLI::App* app_;
  Team& team_;
  std::string shown_solver_;
  std::function<void(const std::vector<std::string>&)> prepare_;
};

// The value of --name among the arguments of a command line; empty: not given.
std::string argument_of(const std::vector<std::string>& arguments, const std::string& name);
bool asks_for_help(const std::vector<std::string>& arguments);

}  // namespace penumbra::cli
