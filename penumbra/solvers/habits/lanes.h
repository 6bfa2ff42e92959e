// Episodes in lockstep for an agent that remembers situations.
#pragma once

#include <functional>

#include "penumbra/solvers/habits/memory_form.h"

namespace penumbra::habits {

struct Lanes {
  RngKey key;
  uint64_t first = 0;  // the number of the first episode
  size_t count = 0;
  int depth = 0;  // steps after which an episode is cut
};

// What to do in a situation. Lanes are numbered from 0.
using Decide = std::function<int(size_t lane, const Situation& now)>;
// What came of it; `over`: that was the end.
using Learn = std::function<void(size_t lane, float reward, bool over)>;

// Plays all lanes to their end; returns the steps of the simulator. After the last step of an
// episode that is cut, `decide` is asked once more: what is left is worth what that is worth.
uint64_t play(const Pomdp& model, const MemoryForm& form, const Lanes& lanes, const Decide& decide,
              const Learn& learn);

}  // namespace penumbra::habits
