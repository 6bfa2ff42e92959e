// The two policies that act on a bound: qmdp (Littman, Cassandra, Kaelbling 1995) as if the state
// were known after one step, fib (Hauskrecht 2000) as if it were known after two. Fast, a proven
// upper bound, and a policy that never acts only to look.
#pragma once

#include "penumbra/solvers/solver.h"

namespace penumbra {

class ActionValueSolver final : public Solver {
 public:
  enum class Bound { kMdp, kInformed };
  explicit ActionValueSolver(Bound bound) : bound_(bound) {}
  OptionList options() override { return {}; }
  Capabilities needs() const override;
  Solution solve(const Pomdp& model, const Limits& limits, uint64_t seed, ThreadPool& pool,
                 const Report& report) override;

 private:
  Bound bound_;
};

}  // namespace penumbra
