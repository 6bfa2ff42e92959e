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
  // --name for an option of a solver; empty: not given.
  void setting(const Option& option, std::string& value);
  void flag(const char* name, bool& value, const char* help);
  // A whole number from `low` to `high`, written 100000 or 1e5.
  void count(const char* name, uint64_t& value, uint64_t low, uint64_t high, const char* help);
  // Stands at the end of the command's --help.
  void examples(const char* text);

  const std::vector<Declared>& declared() const { return declared_; }
  std::vector<std::string> keys() const;
  // Throws Error offering the nearest name; `where` is put before its text.
  void set(const std::string& key, const std::string& value, const std::string& where = "") const;

 private:
  CLI::App* app_;
  std::vector<Declared> declared_;
};

}  // namespace penumbra::cli
