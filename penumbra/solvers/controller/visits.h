// The states in which a controller's nodes are executed, by simulation from b0: what a node is
// for, over all the histories that lead to it.
#pragma once

#include <vector>

#include "penumbra/base/thread_pool.h"
#include "penumbra/model/pomdp.h"
#include "penumbra/policy/fsc.h"

namespace penumbra::controller {

struct Visits {
  std::vector<RecordBuffer> states;  // per node, in random order, no more than asked for
  std::vector<double> count;         // per node: all visits, each counted gamma^t
  uint64_t steps = 0;
};

// A visit at time t is kept with probability gamma^t, so that every state kept weighs the same.
Visits collect_visits(const Pomdp& model, const Fsc& fsc, int episodes, int max_depth,
                      size_t most_per_node, RngKey key, ThreadPool& pool);

}  // namespace penumbra::controller
