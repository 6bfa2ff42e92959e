// How a controller is used, by simulation: how often each node acts and each edge is taken. Most of
// a large controller is hardly ever visited; this tells the part that matters.
#pragma once

#include <numeric>
#include <vector>

#include "penumbra/base/thread_pool.h"
#include "penumbra/policy/fsc.h"

namespace penumbra {

struct ControllerUse {
  uint64_t episodes = 0;
  std::vector<uint64_t> visits;         // per node: how often it acted
  std::vector<uint64_t> episodes_with;  // per node: episodes in which it acted at least once
  std::vector<uint64_t> ended;          // per node: how often its action ended the episode
  std::vector<uint64_t> taken;  // row-major [node][observation], without those that ended it

  uint64_t steps() const { return std::accumulate(visits.begin(), visits.end(), uint64_t{0}); }
};

// Of the episodes of `evaluate` with this seed, the same for any number of threads. Observations
// must be finite.
ControllerUse controller_use(const Pomdp& model, const Fsc& fsc, uint64_t episodes, int max_steps,
                             uint64_t seed, ThreadPool& pool);

// The fewest steps from the start to each node; -1 where it cannot come to.
std::vector<int> steps_from_start(const Fsc& fsc);

}  // namespace penumbra
