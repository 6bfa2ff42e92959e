// POMCGS, partially observable Monte-Carlo graph search (You, Schutz, Hawes, ICAPS 2025): search in
// the graph of beliefs, offline, for a finite-state controller.
//
// A node is a belief over particles of b0, or over the cells of a grid (search_graph.h). Trials
// follow the plan found so far and explore in bursts, by UCB whose width is what QMDP still
// promises or as if a drawn state were true (search.h); new beliefs that are close to a node in L1
// distance become that node. From time to time the controller that the graph describes is
// simulated, and the best by simulated value is returned.
//
// Needs finite actions and observations (continuous ones are clustered). Many actions are taken in
// step by step (progressive widening), continuous ones through a table. With a likelihood beliefs
// are exact over the particles, otherwise observations are counted over simulations. What differs
// from the paper's code is listed in docs/solvers/pomcgs.md.
#pragma once

#include <memory>

namespace penumbra {

class Solver;
std::unique_ptr<Solver> make_pomcgs();

}  // namespace penumbra
