// Neural Value Iteration (You, Cakir, Schutz, Hawes): value iteration over a finite network
// controller, whose nodes keep their alpha-vectors as networks.
//
// The run is that of rounds.h; candidate successors come from networks and births (library.h).
// Needs finite actions and observations and features. The paper's own algorithm is `preset=paper`
// (paper_loop.h).
#pragma once

#include "penumbra/solvers/nvi/options.h"
#include "penumbra/solvers/solver.h"

namespace penumbra::nvi {

class NviSolver final : public Solver {
 public:
  OptionList options() override { return list_options(options_); }
  Capabilities needs() const override {
    return Capability::kFiniteActions | Capability::kFiniteObservations | Capability::kFeatures;
  }
  Solution solve(const Pomdp& model, const Limits& limits, uint64_t seed, ThreadPool& pool,
                 const Report& report) override;

 private:
  NviOptions options_;
};

}  // namespace penumbra::nvi
