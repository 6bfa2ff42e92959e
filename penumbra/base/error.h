// The two kinds of failure: bad input (Error) and broken invariants (PENUMBRA_CHECK).
// Running out of time, memory or iterations is neither: it is a status in a solution.
#pragma once

#include <stdexcept>
#include <string>

namespace penumbra {

// Input that the user can mend. The text says what is wrong, where, and what to do.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A broken invariant: a bug in Penumbra or in a model, reported with its place.
class InvariantError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void fail_check(const char* condition, const char* file, int line,
                             const std::string& message);

}  // namespace penumbra

// Always on, in every build: a wrong answer costs more than a compare.
#define PENUMBRA_CHECK(condition, message)                             \
  do {                                                                 \
    if (!(condition)) [[unlikely]]                                     \
      ::penumbra::fail_check(#condition, __FILE__, __LINE__, message); \
  } while (false)
