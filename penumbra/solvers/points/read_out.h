// The plan behind a lower bound: every vector knows its action and the vectors that follow, so the
// best one at b0 is a finite-state controller. Its exact value is at least the bound.
#pragma once

#include "penumbra/policy/alpha_vectors.h"
#include "penumbra/policy/fsc.h"
#include "penumbra/solvers/points/point_bounds.h"

namespace penumbra::points {

// Only what the start can reach. `num_seen`: observations of the Pomdp. No nodes at all if there
// would be more than `max_edges` edges.
Fsc controller_of(PointBounds& bounds, int num_seen, size_t max_edges = 20'000'000);
// The vectors that are there now.
AlphaVectors vectors_of(const PointBounds& bounds);
// Vectors given by part and action, such as a Q function: one policy vector each.
AlphaVectors action_vectors(const MixedModel& model, const PartActionValues& values);

}  // namespace penumbra::points
