#include "penumbra/solvers/sarsop/sarsop.h"

#include "penumbra/solvers/points/run.h"
#include "penumbra/solvers/sarsop/trial.h"

namespace penumbra {

Capabilities SarsopSolver::needs() const {
  return Capability::kTable | Capability::kFiniteActions | Capability::kFiniteObservations;
}

Solution SarsopSolver::solve(const Pomdp& model, const Limits& limits, uint64_t, ThreadPool& pool,
                             const Report& report) {
  return points::run_rounds(model, limits, pool, report, [this](points::PointBounds& bounds) {
    return std::make_unique<sarsop::Trial>(bounds, options_);
  });
}

}  // namespace penumbra
