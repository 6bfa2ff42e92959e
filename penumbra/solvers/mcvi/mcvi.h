// Monte Carlo Value Iteration (Bai, Hsu, Lee, Ngo): value iteration over a policy graph whose
// nodes have no alpha-vectors of their own. What a node is worth in a state is found by simulating
// the graph from there.
//
// There are three forms of it:
// - By default, the rounds that nvi has too (controller/rounds.h). Candidate successors come from
//   races by simulation (race.h). Needs finite observations; features are used where the model has
//   some. A box of actions is seen through a stock (model/action_stock.h) that the rounds add to.
// - `preset=paper`: the algorithm as printed (mc_backup.h). Needs the same.
// - `observations=continuous`: observations are not clustered (continuous_run.h). Needs finite
//   actions, a likelihood and features.
#pragma once

#include <memory>

namespace penumbra {

class Solver;
std::unique_ptr<Solver> make_mcvi();

}  // namespace penumbra
