// The options of a job, recorded as they are declared: from this record come configuration files,
// the environment, the effective configuration of a run, and whatever else sets options by their
// names (the command line in cli/flags.h, keywords in Python).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "penumbra/base/options.h"

namespace penumbra {

enum class Need { kOptional, kRequired };

// One option, by the name it has in configuration files: `time` for --time.
struct Declared {
  enum class Kind { kText, kCount, kFlag, kSetting };
  std::string key;
  Kind kind;
  std::function<std::string()> get;
  std::function<void(const std::string&)> set;  // throws Error on a bad value
};

// The values must outlive the record.
class OptionRecord {
 public:
  virtual ~OptionRecord() = default;

  virtual void positional(const char* name, std::string& value, Need need, const char* help);
  virtual void text(const char* name, std::string& value, Need need, const char* help);
  // A text that may be left out: --name alone (or `true` in a file) means `alone`.
  virtual void text_or(const char* name, std::string& value, const char* alone, const char* help);
  // An option of a solver; empty: not given.
  virtual void setting(const Option& option, std::string& value);
  virtual void flag(const char* name, bool& value, const char* help);
  // A whole number from `low` to `high`, written 100000 or 1e5.
  virtual void count(const char* name, uint64_t& value, uint64_t low, uint64_t high,
                     const char* help);

  const std::vector<Declared>& declared() const { return declared_; }
  std::vector<std::string> keys() const;
  // Throws Error offering the nearest name; `where` is put before its text.
  void set(const std::string& key, const std::string& value, const std::string& where = "") const;

 protected:
  std::vector<Declared> declared_;
};

}  // namespace penumbra
