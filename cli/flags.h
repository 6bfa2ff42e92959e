// The options of a command: it declares them here, and they are filled in before it runs. The
// parser (CLI11) stays behind this header, because its own is slow to compile.
#pragma once

#include <cstdint>
#include <string>

#include "penumbra/base/options.h"

namespace CLI {
class App;
}

namespace penumbra::cli {

enum class Need { kOptional, kRequired };

// The values must outlive the parsing.
class Flags {
 public:
  explicit Flags(CLI::App& app) : app_(app) {}

  void positional(const char* name, std::string& value, Need need, const char* help);
  void text(const char* name, std::string& value, Need need, const char* help);
  // --name for an option of a solver; empty: not given.
  void setting(const Option& option, std::string& value);
  void flag(const char* name, bool& value, const char* help);
  // A whole number from `low` to `high`, written 100000 or 1e5.
  void count(const char* name, uint64_t& value, uint64_t low, uint64_t high, const char* help);
  // Stands at the end of the command's --help.
  void examples(const char* text);

 private:
  CLI::App& app_;
};

}  // namespace penumbra::cli
