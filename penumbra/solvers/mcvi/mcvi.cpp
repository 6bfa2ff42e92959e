#include "penumbra/solvers/mcvi/mcvi.h"

#include "penumbra/base/error.h"
#include "penumbra/solvers/nvi/rounds.h"

namespace penumbra::mcvi {

void McviOptions::list(OptionList& l) {
  l.add("preset", preset, {"default", "paper"}, "paper: the algorithm as printed");
  l.add("observations", observations, {"finite", "continuous"},
        "continuous: no clusters, edges by likelihood; needs a likelihood");
  rounds.list_shared(l);
  l.add("by-birth", race.by_birth, 0, 10'000, "nodes made for similar beliefs that enter a race");
  l.add("strangers", race.strangers, 0, 10'000, "nodes drawn at random that enter a race");
  l.add("first-particles", race.first_particles, 1, 10'000, "particles of a race's first heat");
  l.add("winners", race.winners, 1, 10'000, "candidates that a race ends with");
  l.add_all(list_options(paper), "paper");
  l.add_all(list_options(continuous), "continuous");
}

McviSolver::McviSolver() {
  options_.rounds.library.pool_states = 0;  // there are no networks to fit
  options_.rounds.backup.training_states = 64;
}

Solution McviSolver::solve(const Pomdp& model, const Limits& limits, uint64_t seed,
                           ThreadPool& pool, const Report& report) {
  require(model, needs(), "mcvi");
  const RngKey mdp_key = RngKey::from_seed(seed).fold("mcvi").fold("mdp");
  if (options_.observations == "continuous") {
    if (options_.preset == "paper")
      throw Error("mcvi: the preset paper works on finite observations; leave out one of the two");
    if (model.facts().num_observations > 0)
      throw Error(model.facts().name +
                  " has finite observations; leave out observations=continuous");
    const auto values = make_mdp_value(model, options_.rounds.mdp, mdp_key, pool);
    return improve_continuously(model, options_.continuous, *values, limits, seed, pool, report);
  }
  if (options_.preset == "paper") {
    const auto values = make_mdp_value(model, options_.rounds.mdp, mdp_key, pool);
    return nvi::run_paper_loop(
        model, options_.paper, "mcvi paper",
        [&](RngKey, nvi::PaperWork& work) {
          return std::make_unique<McBackup>(model, options_.paper, pool, work);
        },
        *values, limits, seed, pool, report);
  }
  RaceOptions race = options_.race;
  race.newborns = options_.rounds.library.newborns;
  return nvi::improve_in_rounds(
      model, options_.rounds, "mcvi",
      [&](RngKey key) { return std::make_unique<Race>(model, race, key); }, limits, seed, pool,
      report);
}

}  // namespace penumbra::mcvi
