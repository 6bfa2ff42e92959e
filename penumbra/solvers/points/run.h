// The frame of every solver that tightens PointBounds: sets up the model, runs rounds until a
// limit, reports proven bounds, and hands over the vectors and their plan.
#pragma once

#include <functional>
#include <optional>

#include "penumbra/solvers/points/point_bounds.h"
#include "penumbra/solvers/solver.h"

namespace penumbra::points {

// One round of work, e.g. a path and its backups. The frame prunes when asked to by the solver.
using Round = std::function<void()>;
// Asked within long rounds: true when it is time to stop.
using Stop = std::function<bool()>;

Solution run_rounds(const Pomdp& model, const Limits& limits, const Solver::Report& report,
                    const std::function<Round(PointBounds&, const Stop&)>& make_round);

}  // namespace penumbra::points
