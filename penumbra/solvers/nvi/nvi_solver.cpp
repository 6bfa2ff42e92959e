#include "penumbra/solvers/nvi/library.h"
#include "penumbra/solvers/nvi/nvi.h"
#include "penumbra/solvers/nvi/rounds.h"

namespace penumbra::nvi {

Solution NviSolver::solve(const Pomdp& model, const Limits& limits, uint64_t seed, ThreadPool& pool,
                          const Report& report) {
  require(model, needs(), "nvi");
  if (options_.preset == "paper") {
    const RngKey key = RngKey::from_seed(seed).fold("nvi").fold("mdp");
    const auto values = make_mdp_value(model, options_.mdp, key, pool);
    return solve_by_bounds(model, options_.paper, *values, limits, seed, pool, report);
  }
  return improve_in_rounds(
      model, options_, "nvi",
      [&](RngKey key) { return std::make_unique<Library>(model, options_.library, key); }, limits,
      seed, pool, report);
}

}  // namespace penumbra::nvi
