// What is always known of the state, found in the table itself. The states are split into parts
// such that the part is a function of the last part, the action and what is seen: whoever acts
// always knows it. A robot that moves surely from a known place knows where it is, whatever the
// table calls a state. The finest such split makes beliefs, and the vectors that value them, as
// short as they can be.
#pragma once

#include <vector>

#include "penumbra/model/tabular.h"

namespace penumbra {

struct KnownParts {
  std::vector<std::vector<int>> states;  // of each part, ascending; states never met are in none
  int start = 0;                         // the part that b0 is in
  // The start may be a part of its own, of copies: all others are disjoint.
  bool start_is_copy = false;
};

// Terminal, or absorbing without reward: nothing is ever earned there again.
std::vector<char> finished_states(const Tabular& model);

KnownParts find_known_parts(const Tabular& model);
// Only what the table declares: one part per visible value, or one in all.
KnownParts declared_parts(const Tabular& model);

}  // namespace penumbra
