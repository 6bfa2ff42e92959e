// Recurrent proximal policy optimisation (Schulman et al. 2017), the learning baseline of the
// Neural Value Iteration paper: separate actor and critic, each dense, ReLU, GRU, dense, ReLU,
// dense. A round plays a number of steps on many lanes, estimates advantages with the critic, and
// makes some epochs of clipped gradient steps; one gradient step counts as one backup.
//
// It needs a simulator only: any observations, finite or continuous actions. It proves nothing, and
// keeps whichever networks scored best in simulation, played greedily or drawn.
#pragma once

#include "penumbra/solvers/ppo/options.h"
#include "penumbra/solvers/solver.h"

namespace penumbra {

class PpoSolver final : public Solver {
 public:
  OptionList options() override { return list_options(options_); }
  Capabilities needs() const override { return {}; }
  bool trains_recurrent() const override { return true; }
  Solution solve(const Pomdp& model, const Limits& limits, uint64_t seed, ThreadPool& pool,
                 const Report& report) override;

 private:
  ppo::PpoOptions options_;
};

}  // namespace penumbra
