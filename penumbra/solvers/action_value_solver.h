// The two policies that act on a bound: qmdp (Littman, Cassandra, Kaelbling 1995) as if the state
// were known after one step, fib (Hauskrecht 2000) as if it were known after two. Fast, a proven
// upper bound, and a policy that never acts only to look.
#pragma once

#include <memory>

namespace penumbra {

class Solver;
std::unique_ptr<Solver> make_qmdp();
std::unique_ptr<Solver> make_fib();

}  // namespace penumbra
