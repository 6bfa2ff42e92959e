// Neural Value Iteration (You, Cakir, Schutz, Hawes): value iteration over a finite network
// controller, whose nodes keep their alpha-vectors as functions of the state.
//
// By default a plan comes first whose alpha functions are fitted and need no rollouts: gated ones
// where features are discrete (head_plan.h), functions at anchors where they are dense
// (anchors/plan.h). Then its controller is improved in rounds, as by mcvi (controller/rounds.h),
// for which functions propose successors (network_candidates.h). `preset=paper` is the algorithm as
// printed, `paper-mended` with the departures that it needs (as_printed.h). All need finite
// observations and features. A box of actions is seen through a stock of some
// (model/action_stock.h), to which the rounds add.
#pragma once

#include <memory>

namespace penumbra {

class Solver;
std::unique_ptr<Solver> make_nvi();

}  // namespace penumbra
