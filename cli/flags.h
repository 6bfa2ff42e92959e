// The options of a command: it declares them here, and they are filled in before it runs, from a
// configuration file, the environment and the command line (cli/config.h). The parser (CLI11)
// stays behind this header, because its own is slow to compile.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "penumbra/base/options.h"

namespace CLI {
class App;
}

namespace penumbra::cli {

enum class Need { kOptional, kRequired };

// One option, by the name it has in configuration files: `time` for --time.
struct Declared {
  enum class Kind { kText, kCount, kFlag, kSetting };
  std::string key;
  Kind kind;
  std::function<std::string()> get;
  std::function<void(const std::string&)> set;  // throws Error on a bad value
};

// The values must outlive the parsing.
class Flags {
 public:
  // Without an application the options are only recorded: they are set by key.
  explicit Flags(CLI::App* app = nullptr) : app_(app) {}

  void positional(const char* name, std::string& value, Need need, const char* help);
  void text(const char* name, std::string& value, Need need, const char* help);
  // --name for an option of a solver; empty: not given. It is not in --help.
  void setting(const Option& option, std::string& value);
  // Puts these, which are declared, into --help as the options of a solver, with the help and
  // defaults that they have there.
  void show_settings(const OptionList& options, const std::string& solver);
  // The solver whose options are shown; empty: none.
  const std::string& shown_solver() const { return shown_solver_; }
  void flag(const char* name, bool& value, const char* help);
  // A whole number from `low` to `high`, written 100000 or 1e5.
  void count(const char* name, uint64_t& value, uint64_t low, uint64_t high, const char* help);
  // Stands at the end of the command's --help.
  void examples(const char* text);
  // Called with the arguments before they are parsed.
  void before_parsing(std::function<void(const std::vector<std::string>&)> prepare);
  void prepare(const std::vector<std::string>& arguments) const;

  const std::vector<Declared>& declared() const { return declared_; }
  std::vector<std::string> keys() const;
  // Throws Error offering the nearest name; `where` is put before its text.
  void set(const std::string& key, const std::string& value, const std::string& where = "") const;

 private:
  CLI::App* app_;
  std::vector<Declared> declared_;
  std::string shown_solver_;
  std::function<void(const std::vector<std::string>&)> prepare_;
};

// The value of --name among the arguments of a command line; empty: not given.
std::string argument_of(const std::vector<std::string>& arguments, const std::string& name);
bool asks_for_help(const std::vector<std::string>& arguments);

}  // namespace penumbra::cli
