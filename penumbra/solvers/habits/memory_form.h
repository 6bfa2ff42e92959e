// What an agent of habits remembers: what it did and saw last, which features of the state it is
// certain of, maybe what it saw before. A habit depends on less than is remembered: a counter is
// needed to know when power ends, but to decide it is enough that there is some.
#pragma once

#include <string>
#include <vector>

#include "penumbra/solvers/habits/certain_features.h"

namespace penumbra::habits {

struct MemoryForm {
  struct Part {
    CertainFeature feature;
    bool whole = true;  // habits ask for its value; false: whether it is the usual one
  };
  std::vector<Part> parts;
  bool previous = false;  // the observation before the last is remembered too
};

// The forms that are tried on a model, the shortest memory first.
std::vector<MemoryForm> usual_forms(const std::vector<CertainFeature>& certain);

// What is remembered at one moment.
struct Situation {
  uint64_t habit = 0;  // a number for what a habit may depend on
  uint64_t whole = 0;  // and for all that is remembered
  uint64_t place = 0;  // the certain features alone
  int action = -1;     // that was done last, -1: nothing yet
  int seen = -1;
};

// `category` and `bits` are those of the state, where the form has parts.
Situation situation_of(const MemoryForm& form, std::span<const int32_t> category,
                       std::span<const uint32_t> bits, int action, int seen, int previous);

}  // namespace penumbra::habits
