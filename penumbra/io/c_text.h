// C source text in the making: what every export to C shares. Everything it writes is C99 and C++.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "penumbra/io/policy_file.h"
#include "penumbra/io/text.h"

namespace penumbra {

// A prefix from any text: what a C identifier cannot hold becomes '_'.
std::string c_identifier(const std::string& text);
// Text that can stand in a comment: nothing in it opens or ends one.
std::string c_comment(const std::string& text);
// The narrowest type of the numbers below `count`.
const char* c_smallest_type(size_t count);

class CText {
 public:
  explicit CText(const std::string& prefix);

  // Every {0} is the prefix, {1} the prefix in capitals, {2} the first of the values.
  template <class... T>
  void add(const char* format, const T&... values) {
    append(out_, fmt::runtime(format), prefix_, capitals_, values...);
  }
  const std::string& prefix() const { return prefix_; }
  const std::string& capitals() const { return capitals_; }

  // A constant array `prefix_what`.
  void table(const std::string& type, const std::string& what, std::span<const int> values);
  void table(const std::string& what, std::span<const float> values);  // exact
  void texts(const std::string& what, const std::vector<std::string>& values);

  // Of clustered observations: the function that finds the number of one.
  void discretiser(const PolicyFile& policy);
  // How a program names what it saw: by that function, if there is one.
  std::string number_of_seen(const PolicyFile& policy) const;
  // The size of an observation as one more entry of an enum, or nothing.
  std::string seen_dimension(const PolicyFile& policy) const;
  // The names of observations, and of actions where these are finite.
  void names(const PolicyFile& policy);

  std::string take() { return std::move(out_); }

 private:
  void trees(const PolicyFile& policy);
  void words(const std::string& type, const std::string& what,
             const std::vector<std::string>& values);

  std::string prefix_, capitals_, out_;
};

}  // namespace penumbra
