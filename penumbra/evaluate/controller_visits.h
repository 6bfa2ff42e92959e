// How often the nodes and edges of a controller are used, by simulation.
#pragma once

#include <vector>

#include "penumbra/base/thread_pool.h"
#include "penumbra/policy/fsc.h"

namespace penumbra {

struct ControllerVisits {
  uint64_t episodes = 0, steps = 0;
  std::vector<uint64_t> node;  // steps that began there
  std::vector<uint64_t> edge;  // row-major [node][observation]: steps that left along it
};

// The episodes of `evaluate` with this seed; the same for any number of threads.
ControllerVisits count_visits(const Pomdp& model, const Fsc& fsc, uint64_t episodes, uint64_t seed,
                              ThreadPool& pool);

// The fewest steps from the start to each node; -1 where it cannot come to.
std::vector<int> steps_from_start(const Fsc& fsc);

}  // namespace penumbra
