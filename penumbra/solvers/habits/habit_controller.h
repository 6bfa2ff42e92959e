// A finite-state controller that does what habits say: a node for each situation as it is
// remembered in full, an edge for each observation that followed.
#pragma once

#include "penumbra/base/thread_pool.h"
#include "penumbra/policy/fsc.h"
#include "penumbra/solvers/habits/habits.h"

namespace penumbra::habits {

// By playing `batches` of episodes without exploration. Of more than `most_nodes` nodes those stay
// that are visited most. An observation that never followed leads to a node of the same place.
Fsc make_controller(const Pomdp& model, const Habits& habits, const HabitOptions& options,
                    size_t batches, size_t most_nodes, RngKey key, ThreadPool& pool);

}  // namespace penumbra::habits
