// HSVI2 (Smith, Simmons, UAI 2005): like SARSOP, but a path ends by its depth and gap alone, and
// only vectors that another dominates at every visited belief are dropped.
#pragma once

#include <memory>

namespace penumbra {

class Solver;
std::unique_ptr<Solver> make_hsvi2();

}  // namespace penumbra
