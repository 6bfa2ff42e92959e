// HSVI2 (Smith, Simmons, UAI 2005): like SARSOP, but a path ends by its depth and gap alone, and
// only vectors that another dominates at every visited belief are dropped.
#pragma once

#include "penumbra/solvers/solver.h"

namespace penumbra {

class Hsvi2Solver final : public Solver {
 public:
  OptionList options() override { return {}; }
  Capabilities needs() const override;
  Solution solve(const Pomdp& model, const Limits& limits, uint64_t seed, ThreadPool& pool,
                 const Report& report) override;
};

}  // namespace penumbra
