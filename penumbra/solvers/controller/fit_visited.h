// Fits what candidates know of every node anew under a controller that no longer changes. During a
// solve a network is fitted once, when its node is made, and what the node leads to improves later.
#pragma once

#include <optional>

#include "penumbra/solvers/controller/candidates.h"
#include "penumbra/solvers/controller/options.h"

namespace penumbra::controller {

// Makes the nodes that are executed in so many episodes, the most visited ones first, known to the
// candidates. Returns the simulated steps; none: it was stopped, and nothing has changed.
std::optional<double> fit_visited_nodes(const Pomdp& model, const RoundsOptions& options,
                                        const Fsc& fsc, int episodes, size_t most_nodes,
                                        int max_depth, RngKey key, ThreadPool& pool,
                                        const Stop& stop, Candidates& candidates);

}  // namespace penumbra::controller
