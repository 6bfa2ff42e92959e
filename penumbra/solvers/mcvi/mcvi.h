// Monte Carlo Value Iteration (Bai, Hsu, Lee, Ngo): value iteration over a policy graph whose
// nodes have no alpha-vectors of their own. What a node is worth in a state is found by simulating
// the graph from there.
//
// By default the run is that of controller/rounds.h, where candidate successors race against each
// other by simulation (race.h). Needs finite actions and observations; features are used where
// there are some. `preset=paper` is the algorithm as printed (mc_backup.h);
// `observations=continuous` does without clusters (continuous_run.h).
#pragma once

#include <memory>

namespace penumbra {

class Solver;
std::unique_ptr<Solver> make_mcvi();

}  // namespace penumbra
