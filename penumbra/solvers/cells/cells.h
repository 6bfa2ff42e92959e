// Point-based value iteration on a grid that is estimated by simulation: where states have a few
// plain coordinates, cells of them become the states of a table (model/abstraction.h), and a plan
// for the table (plan.h) is a controller of the model. No networks, no simulation beyond the table
// and the final judgement; what the cells are too coarse for, it cannot see.
//
// Needs coordinates, likelihoods, finite actions and observations (continuous ones are clustered).
#pragma once

#include <memory>

namespace penumbra {

class Solver;
std::unique_ptr<Solver> make_cells();

}  // namespace penumbra
