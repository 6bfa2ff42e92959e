#include "penumbra/solvers/action_value_solver.h"

#include <chrono>

#include "penumbra/base/memory.h"
#include "penumbra/bounds/explicit_bounds.h"
#include "penumbra/model/seen_table.h"
#include "penumbra/solvers/points/plan.h"

namespace penumbra {

Capabilities ActionValueSolver::needs() const {
  return Capability::kTable | Capability::kFiniteActions | Capability::kFiniteObservations;
}

Solution ActionValueSolver::solve(const Pomdp& model, const Limits&, uint64_t, ThreadPool&,
                                  const Report& report) {
  const auto start = std::chrono::steady_clock::now();
  const Tabular table = seen_table(model);
  check_tabular(table, 1e-6);
  const auto mixed = std::make_shared<const MixedModel>(table);
  const PartActionValues q =
      bound_ == Bound::kMdp ? qmdp_bound(*mixed, mdp_bound(*mixed)) : fast_informed_bound(*mixed);
  Solution s;
  s.status = "converged";
  s.vectors = std::make_shared<const AlphaVectors>(points::action_vectors(*mixed, q));
  s.estimate = s.upper = AlphaPolicy(*s.vectors, mixed).start_value();
  s.upper_proven = true;
  s.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  SolveProgress p;
  p.seconds = s.seconds;
  p.nodes = static_cast<int>(s.vectors->vectors.size());
  p.estimate = p.upper = s.upper;
  p.upper_proven = true;
  p.memory = static_cast<double>(resident_bytes());
  report(p);
  return s;
}

}  // namespace penumbra
