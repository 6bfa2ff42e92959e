// Neural Value Iteration (You, Cakir, Schutz, Hawes): value iteration over a finite network
// controller, whose nodes keep their alpha-vectors as networks.
//
// There are two forms of it. By default a controller is improved in rounds, as by mcvi
// (controller/rounds.h), and networks propose successors (network_candidates.h). `preset=paper` is
// the algorithm as printed (as_printed.h). Both need finite actions and observations and features.
#pragma once

#include <memory>

namespace penumbra {

class Solver;
std::unique_ptr<Solver> make_nvi();

}  // namespace penumbra
