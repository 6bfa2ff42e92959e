#include "penumbra/solvers/mcvi/mcvi.h"

#include <optional>

#include "penumbra/base/error.h"
#include "penumbra/solvers/controller/rounds.h"
#include "penumbra/solvers/islands.h"
#include "penumbra/solvers/mcvi/options.h"
#include "penumbra/solvers/real_actions.h"

namespace penumbra {
namespace mcvi {

void McviOptions::list(OptionList& l) {
  l.add("preset", preset, {"default", "paper"}, "paper: the algorithm as printed");
  l.add("observations", observations, {"finite", "continuous"},
        "continuous: no clusters, edges by likelihood; needs a likelihood");
  l.add("start", start, {"blind", "cells"},
        "the first controller; cells: a plan on cells of the state's coordinates");
  cells.list(l);
  rounds.list(l);
  l.add("by-similarity", race.by_similarity, 0, 10'000,
        "nodes made for similar beliefs that enter a race");
  l.add("random-nodes", race.random_nodes, 0, 10'000, "nodes drawn at random that enter a race");
  l.add("first-particles", race.first_particles, 1, 10'000, "particles of a race's first heat");
  l.add("winners", race.winners, 1, 10'000, "candidates that a race ends with");
  l.add_all(list_options(paper), "paper");
  l.add_all(list_options(continuous), "continuous");
}

}  // namespace mcvi

namespace {

class McviSolver final : public Solver {
 public:
  OptionList options() override { return list_options(options_); }
  Capabilities needs() const override {
    if (continuous()) return Capability::kLikelihood | Capability::kFeatures;
    return Capability::kFiniteObservations;
  }
  PolicyForm makes() const override {
    return continuous() ? PolicyForm::kLikelihood : PolicyForm::kController;
  }

  Solution solve(const Pomdp& model, const Limits& limits, uint64_t seed, ThreadPool& pool,
                 const Report& report) override {
    require(model, needs(), "mcvi");
    if (model.has(Capability::kFiniteActions) || continuous())
      return solve_seen(model, limits, seed, pool, report);
    const ActionStock stock(model, first_actions(model.facts(), options_.rounds.action_stock));
    return with_real_actions(solve_seen(stock, limits, seed, pool, report), stock);
  }

 private:
  Solution solve_seen(const Pomdp& model, const Limits& limits, uint64_t seed, ThreadPool& pool,
                      const Report& report) const {
    const bool printed = options_.preset == "paper";
    if (continuous() && printed)
      throw Error("mcvi: the preset paper works on finite observations; leave out one of the two");
    if (continuous() && model.facts().num_observations > 0)
      throw Error(model.facts().name +
                  " has finite observations; leave out observations=continuous");
    if (printed && options_.rounds.islands.count > 1)
      throw Error(no_islands("mcvi", options_.preset));
    if (!continuous() && !printed) return race(model, limits, seed, pool, report);
    std::optional<ActionStock> view;  // a value that is fitted is one of finite actions
    if (!model.has(Capability::kFiniteActions))
      view.emplace(model, first_actions(model.facts(), options_.continuous.action_stock));
    const auto values =
        make_mdp_value(view ? static_cast<const Pomdp&>(*view) : model, options_.rounds.mdp,
                       RngKey::from_seed(seed).fold("mcvi").fold("mdp"), pool);
    if (continuous())
      return mcvi::improve_continuously(model, options_.continuous, options_.rounds.islands,
                                        *values, limits, seed, pool, report);
    return value_iteration::run_loop(
        model, options_.paper, "mcvi paper",
        [&](RngKey, Work& work) {
          return std::make_unique<mcvi::McBackup>(model, options_.paper, pool, work);
        },
        *values, limits, seed, pool, report);
  }

  bool continuous() const { return options_.observations == "continuous"; }

  Solution race(const Pomdp& model, const Limits& limits, uint64_t seed, ThreadPool& pool,
                const Report& report) const {
    mcvi::RaceOptions race = options_.race;
    race.same_excursion = options_.rounds.same_excursion;
    return controller::improve_in_rounds(
        model, options_.rounds, "mcvi",
        [&](RngKey key) { return std::make_unique<mcvi::Race>(model, race, key); },
        options_.start == "cells" ? cells::first_plan(model, options_.cells) : MakeFirstPlan(),
        limits, seed, pool, report);
  }

  mcvi::McviOptions options_;
};

}  // namespace

std::unique_ptr<Solver> make_mcvi() {
  return std::make_unique<McviSolver>();
}

}  // namespace penumbra
