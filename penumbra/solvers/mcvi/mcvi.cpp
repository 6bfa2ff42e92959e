#include "penumbra/solvers/mcvi/mcvi.h"

#include "penumbra/solvers/nvi/rounds.h"

namespace penumbra::mcvi {

void McviOptions::list(OptionList& l) {
  l.add("preset", preset, {"default", "paper"}, "paper: the algorithm as printed");
  rounds.list_shared(l);
  l.add("by-birth", race.by_birth, 0, 10'000, "nodes made for similar beliefs that enter a race");
  l.add("strangers", race.strangers, 0, 10'000, "nodes drawn at random that enter a race");
  l.add("first-particles", race.first_particles, 1, 10'000, "particles of a race's first heat");
  l.add("winners", race.winners, 1, 10'000, "candidates that a race ends with");
}

McviSolver::McviSolver() {
  options_.rounds.library.pool_states = 0;  // there are no networks to fit
  options_.rounds.backup.training_states = 64;
}

Solution McviSolver::solve(const Pomdp& model, const Limits& limits, uint64_t seed,
                           ThreadPool& pool, const Report& report) {
  require(model, needs(), "mcvi");
  RaceOptions race = options_.race;
  race.newborns = options_.rounds.library.newborns;
  return nvi::improve_in_rounds(
      model, options_.rounds, "mcvi",
      [&](RngKey key) { return std::make_unique<Race>(model, race, key); }, limits, seed, pool,
      report);
}

}  // namespace penumbra::mcvi
