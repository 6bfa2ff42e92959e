// Improves nodes where they stand. A backup at one history's belief makes a node for that history;
// here a node is backed up on the states of *all* histories that lead to it, and if another action
// or other successors do better there, the node itself is changed, for all of them at once. With
// many observations, where a single history hardly ever returns, this is what moves the value.
#pragma once

#include "penumbra/base/stop.h"
#include "penumbra/solvers/controller/candidates.h"
#include "penumbra/solvers/controller/options.h"

namespace penumbra::controller {

struct TuneReport {
  uint64_t backups = 0, changed = 0;
  Work work{};
  bool stopped = false;  // nothing has changed
};

// Nodes are drawn by how often they are visited. Changes gain more than options.tune_z standard
// errors in a paired comparison against the controller as it was. `stock`: the model, where its
// actions are a box; a node then tries its own action, some others, and actions around the best.
TuneReport tune_nodes(const Pomdp& model, const RoundsOptions& options,
                      const Candidates& candidates, int max_depth, Fsc& fsc, RngKey key,
                      ThreadPool& pool, const Stop& stop = {}, ActionStock* stock = nullptr);

}  // namespace penumbra::controller
