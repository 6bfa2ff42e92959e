// PBVI (Pineau, Gordon, Thrun, IJCAI 2003): a growing set of beliefs, all backed up in turn. From
// every belief one step is simulated per action, and the successor that is farthest from the set
// joins it. The upper bound is the fast informed one, backed up at the same beliefs.
#pragma once

#include <memory>

namespace penumbra {

class Solver;
std::unique_ptr<Solver> make_pbvi();

}  // namespace penumbra
