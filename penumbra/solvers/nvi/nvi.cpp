#include "penumbra/solvers/nvi/nvi.h"

#include "penumbra/solvers/controller/rounds.h"
#include "penumbra/solvers/nvi/as_printed.h"
#include "penumbra/solvers/nvi/options.h"

namespace penumbra {
namespace {

class NviSolver final : public Solver {
 public:
  OptionList options() override { return list_options(options_); }
  Capabilities needs() const override {
    return Capability::kFiniteActions | Capability::kFiniteObservations | Capability::kFeatures;
  }
  PolicyForm makes() const override { return PolicyForm::kController; }

  Solution solve(const Pomdp& model, const Limits& limits, uint64_t seed, ThreadPool& pool,
                 const Report& report) override {
    require(model, needs(), "nvi");
    if (options_.preset != "default") {
      const RngKey key = RngKey::from_seed(seed).fold("nvi").fold("mdp");
      const auto values = make_mdp_value(model, options_.rounds.mdp, key, pool);
      return nvi::solve_as_printed(model, options_.paper.of(options_.preset), *values, limits, seed,
                                   pool, report);
    }
    nvi::NetworkCandidateOptions candidates = options_.candidates;
    candidates.same_excursion = options_.rounds.same_excursion;
    return controller::improve_in_rounds(
        model, options_.rounds, "nvi",
        [&](RngKey key) {
          return std::make_unique<nvi::NetworkCandidates>(model, candidates, key);
        },
        make_plan(model), limits, seed, pool, report);
  }

 private:
  MakeFirstPlan make_plan(const Pomdp& model) const {
    if (options_.start == "heads") return nvi::first_plan(model, options_.heads);
    if (options_.start == "cells") return cells::first_plan(model, options_.cells);
    return {};
  }

  nvi::NviOptions options_;
};

}  // namespace

std::unique_ptr<Solver> make_nvi() {
  return std::make_unique<NviSolver>();
}

}  // namespace penumbra
