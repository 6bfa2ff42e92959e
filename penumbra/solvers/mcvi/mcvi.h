// Monte Carlo Value Iteration (Bai, Hsu, Lee, Ngo): value iteration over a policy graph whose
// nodes have no alpha-vectors of their own. What a node is worth in a state is found by simulating
// the graph from there.
//
// The default shares its run with nvi (nvi/rounds.h): the one difference is that candidate
// successors race by simulation (race.h) in place of being asked from networks. Needs finite
// actions and observations; features are used where there are some. `preset=paper` is the
// algorithm as printed (mc_backup.h); `observations=continuous` does without clusters
// (continuous_run.h).
#pragma once

#include "penumbra/solvers/mcvi/options.h"
#include "penumbra/solvers/solver.h"

namespace penumbra::mcvi {

class McviSolver final : public Solver {
 public:
  McviSolver();
  OptionList options() override { return list_options(options_); }
  Capabilities needs() const override {
    if (options_.observations == "continuous")
      return Capabilities(Capability::kFiniteActions) | Capability::kLikelihood |
             Capability::kFeatures;
    return Capability::kFiniteActions | Capability::kFiniteObservations;
  }
  Solution solve(const Pomdp& model, const Limits& limits, uint64_t seed, ThreadPool& pool,
                 const Report& report) override;

 private:
  McviOptions options_;
};

}  // namespace penumbra::mcvi
