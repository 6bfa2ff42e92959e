// Neural Value Iteration (You, Cakir, Schutz, Hawes): value iteration over a finite network
// controller, whose nodes keep their alpha-vectors as networks.
//
// The run is that of controller/rounds.h; candidate successors come from networks
// (network_candidates.h). Needs finite actions and observations and features. The paper's own
// algorithm is `preset=paper` (as_printed.h).
#pragma once

#include <memory>

namespace penumbra {

class Solver;
std::unique_ptr<Solver> make_nvi();

}  // namespace penumbra
