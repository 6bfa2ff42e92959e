// Fits the network of every node anew under a controller that no longer changes. During a solve a
// network is fitted once, when its node is made, and what the node leads to improves later.
#pragma once

#include "penumbra/solvers/nvi/options.h"

namespace penumbra::nvi {

// Makes every node that is executed at all known to the candidates. Returns the simulated steps.
double fit_visited_nodes(const Pomdp& model, const NviOptions& options, const Fsc& fsc,
                         int max_depth, RngKey key, ThreadPool& pool, Candidates& library);

Fnc evaluate_networks(const Pomdp& model, const Fsc& fsc, const NviOptions& options,
                      const RecordBuffer& pool_states, int max_depth, RngKey key, ThreadPool& pool);

}  // namespace penumbra::nvi
