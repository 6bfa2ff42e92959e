// A model with plain coordinates, seen through a grid: every occupied cell is a state of a table,
// whose probabilities are estimated by simulating the model from states met in the cell. Coarse,
// but complete: solvers of explicit models find whole plans in it, which hold for the model itself
// as far as its cells are fine enough.
#pragma once

#include "penumbra/base/stop.h"
#include "penumbra/base/thread_pool.h"
#include "penumbra/model/pomdp.h"

namespace penumbra {

struct AbstractionOptions {
  int cells = 0;     // at most; 0: by the number of coordinates
  int samples = 64;  // simulated steps per cell and action
};

// Where `cells` is 0.
int default_cells(int num_coordinates);

// What abstract_model needs: coordinates, finite actions and observations, likelihoods.
Capabilities abstraction_needs();

// Steps that leave all known cells stay where they are. The last state is the end of the episode.
// Half a table is of no use: throws Stopped when `stop` says so (base/stop.h; it is asked from
// several threads at once).
Tabular abstract_model(const Pomdp& model, const AbstractionOptions& options, RngKey key,
                       ThreadPool& pool, const Stop& stop = {});

}  // namespace penumbra
