// Names with parameters: `rock-sample(n=20,k=20,map_seed=3)`. Domains, policies and solvers are
// called by such a string everywhere. A parameter is declared where it is read, once; listings,
// range checks and messages about unknown names come from those declarations.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace penumbra {

struct Spec {
  std::string name;
  std::vector<std::pair<std::string, std::string>> values;  // in the order written

  // Throws Error with a caret under the place that it does not understand.
  static Spec parse(const std::string& text);
  std::string text() const;
  // Takes out a value; empty when it was not given.
  std::string take(const std::string& key);
};

// Reads a Spec's values by declared name, type and range.
class Params {
 public:
  explicit Params(Spec spec) : spec_(std::move(spec)), used_(spec_.values.size(), false) {}

  int integer(const std::string& name, int fallback, int low, int high, const std::string& help);
  uint64_t seed(const std::string& name, uint64_t fallback, const std::string& help);
  double real(const std::string& name, double fallback, double low, double high,
              const std::string& help);
  bool flag(const std::string& name, bool fallback, const std::string& help);
  // One of `choices`; the first is the default.
  std::string word(const std::string& name, const std::vector<std::string>& choices,
                   const std::string& help);
  std::string text(const std::string& name, const std::string& fallback, const std::string& help);
  // A list such as [(1,2),(3,4)]; empty when absent.
  std::vector<std::pair<int, int>> cells(const std::string& name, const std::string& help);
  std::vector<double> reals(const std::string& name, const std::string& help);

  bool given(const std::string& name) const;
  // Throws Error if a value was given that nobody declared, naming those that were.
  void finish() const;
  // The canonical string: the given values in the order of their declaration.
  std::string canonical() const;
  const std::string& name() const { return spec_.name; }

  struct Declaration {
    std::string name, fallback, allowed, help;
  };
  const std::vector<Declaration>& declarations() const { return declarations_; }

 private:
  // The text given for `name`, or nullptr; records the declaration.
  const std::string* find(const std::string& name, std::string fallback, std::string allowed,
                          const std::string& help);
  [[noreturn]] void bad(const std::string& name, const std::string& value,
                        const std::string& allowed) const;

  Spec spec_;
  std::vector<bool> used_;
  std::vector<Declaration> declarations_;
};

// The candidate closest in spelling, or empty when none is near: for "did you mean".
std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates);
// " (did you mean 'x'?)", or empty when none is near. Long lists and long names are not looked at.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

// Whole-string number parsing; false on anything else, NaN and infinity included.
bool parse_number(const std::string& text, double& out);
bool parse_number(const std::string& text, int64_t& out);

}  // namespace penumbra
