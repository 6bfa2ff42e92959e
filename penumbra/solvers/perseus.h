// Perseus (Spaan, Vlassis, JAIR 2005): a fixed set of beliefs from random walks; each stage backs
// up randomly chosen ones until every belief of the set has risen or kept its value.
#pragma once

#include <memory>

namespace penumbra {

class Solver;
std::unique_ptr<Solver> make_perseus();

}  // namespace penumbra
