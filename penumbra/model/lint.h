// What a person should know about an explicit model before trusting a result on it: rows that are
// no distributions, states that cannot be reached, observations that never come, actions that are
// copies, rewards that say nothing.
#pragma once

#include <string>
#include <vector>

#include "penumbra/model/tabular.h"

namespace penumbra {

struct Finding {
  enum class Kind { kNote, kWarning, kProblem };  // a fact; probably not meant; cannot be right
  Kind kind;
  std::string text;  // one sentence or two: what, and what to do
};

// Problems first, then warnings, then notes.
std::vector<Finding> lint(const Tabular& model);

struct TableSize {
  size_t transitions = 0, observations = 0;  // entries
  double bytes = 0;
};
TableSize table_size(const Tabular& model);

}  // namespace penumbra
