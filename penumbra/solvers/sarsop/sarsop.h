// SARSOP (Kurniawati, Hsu, Lee, RSS 2008; with mixed observability: Ong, Png, Hsu, Lee, IJRR 2010).
//
// Beliefs are sampled along paths that start at b0 and follow the action with the highest upper
// bound and the observation whose gap, weighed by its chance, is largest. A path goes on only where
// it may matter at b0: while the upper bound is above what b0 still has to be told (the target), or
// while the beliefs like this one let expect a lower bound that b0 has not got yet. Then both
// bounds are backed up along the path, from its end. Vectors that are best at no belief which an
// optimal plan may reach are dropped.
//
// Both bounds of every line of the log are proven. Needs the explicit table. One result per seed,
// with any number of threads: there is nothing random in it.
#pragma once

#include <memory>

namespace penumbra {

class Solver;
std::unique_ptr<Solver> make_sarsop();

}  // namespace penumbra
