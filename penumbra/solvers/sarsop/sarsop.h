// SARSOP (Kurniawati, Hsu, Lee, RSS 2008; with mixed observability: Ong, Png, Hsu, Lee, IJRR 2010).
//
// Beliefs are sampled along paths that start at b0 and follow the action with the highest upper
// bound and the observation whose gap, weighed by its chance, is largest. A path goes on only where
// it can still change a bound of b0: while the upper bound here is high enough to hold up that of
// b0 (the target), or while beliefs like this one had lower bounds that would raise that of b0.
// Then both bounds are backed up along the path, from its end. Vectors that are best at no belief
// which an optimal plan may reach are dropped.
//
// Both bounds of every line of the log are proven. Needs the explicit table. One result per seed,
// with any number of threads: there is nothing random in it.
#pragma once

#include <memory>

namespace penumbra {

class Solver;
std::unique_ptr<Solver> make_sarsop();

}  // namespace penumbra
