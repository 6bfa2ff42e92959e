// Neural Value Iteration as the paper prints it: the loop of Algorithm 2
// (value_iteration/loop.h) with the neural backup of Algorithm 3 (network_backup.h).
#pragma once

#include "penumbra/solvers/nvi/paper_options.h"

namespace penumbra::nvi {

// Needs finite actions and observations and features. Departures that the options leave to a preset
// are as printed; PaperOptions::of fills in those of another.
Solution solve_as_printed(const Pomdp& model, const PaperOptions& given, const MdpValue& mdp,
                          const Limits& limits, uint64_t seed, ThreadPool& pool,
                          const Solver::Report& report);

}  // namespace penumbra::nvi
