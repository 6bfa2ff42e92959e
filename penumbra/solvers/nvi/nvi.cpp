#include "penumbra/solvers/nvi/nvi.h"

#include "penumbra/solvers/controller/rounds.h"
#include "penumbra/solvers/controller/walk_states.h"
#include "penumbra/solvers/islands.h"
#include "penumbra/solvers/nvi/as_printed.h"
#include "penumbra/solvers/nvi/options.h"
#include "penumbra/solvers/real_actions.h"

namespace penumbra {
namespace {

class NviSolver final : public Solver {
 public:
  OptionList options() override { return list_options(options_); }
  Capabilities needs() const override {
    return Capability::kFiniteObservations | Capability::kFeatures;
  }
  PolicyForm makes() const override { return PolicyForm::kController; }

  Solution solve(const Pomdp& model, const Limits& limits, uint64_t seed, ThreadPool& pool,
                 const Report& report) override {
    require(model, needs(), "nvi");
    if (model.has(Capability::kFiniteActions))
      return solve_finite(model, limits, seed, pool, report);
    const ActionStock stock(model, first_actions(model.facts(), options_.rounds.action_stock));
    return with_real_actions(solve_finite(stock, limits, seed, pool, report), stock);
  }

 private:
  Solution solve_finite(const Pomdp& model, const Limits& limits, uint64_t seed, ThreadPool& pool,
                        const Report& report) const {
    if (options_.preset != "default") {
      if (options_.rounds.islands.count > 1) throw Error(no_islands("nvi", options_.preset));
      const RngKey key = RngKey::from_seed(seed).fold("nvi").fold("mdp");
      const auto values = make_mdp_value(model, options_.rounds.mdp, key, pool);
      return nvi::solve_as_printed(model, options_.paper.of(options_.preset), *values, limits, seed,
                                   pool, report);
    }
    nvi::NetworkCandidateOptions candidates = options_.candidates;
    candidates.networks = options_.networks;
    candidates.same_excursion = options_.rounds.same_excursion;
    controller::RoundsOptions rounds = options_.rounds;
    if (!options_.networks) rounds.pool_states = 0;
    if (gated(model)) {
      rounds.pool_states = 0;  // functions are for the categories of their own belief
      candidates.bank.form = nn::BankForm::kGated;
      candidates.bank.elsewhere = static_cast<float>(least_value(model.facts()));
    }
    return controller::improve_in_rounds(
        model, rounds, "nvi",
        [&](RngKey key) {
          return std::make_unique<nvi::NetworkCandidates>(model, candidates, key);
        },
        make_plan(model), limits, seed, pool, report);
  }

  // The form of alpha functions for a model: what is discrete gates, and within a category they
  // are linear in bits; where features are dense, they are at anchors.
  static bool gated(const Pomdp& model) {
    constexpr double kMostCombinations = 65'536;
    const FeatureLayout layout = model.features();
    double combinations = 1;
    for (int size : layout.categories) combinations *= size;
    return layout.num_dense == 0 && combinations <= kMostCombinations;
  }

  // The first of the forms that fits the model. None does where episodes never end and functions
  // are gated: there what they claim too much adds up, and rounds that bend a controller into loops
  // do better.
  MakeFirstPlan first_that_fits(const Pomdp& model, std::vector<MakeFirstPlan> forms) const {
    const int depth = gated(model) ? options_.rounds.depth(model.facts()) : 0;
    return
        [&model, depth, forms](const MdpValue& values, double memory, RngKey key, ThreadPool& pool,
                               const Stop& stop) -> std::unique_ptr<FirstPlan> {
          if (depth > 0 && controller::never_ends(model, depth, key.fold("endless")))
            return nullptr;
          for (const MakeFirstPlan& make : forms) {
            try {
              return make(values, memory, key, pool, stop);
            } catch (const NoPlan&) {
              continue;
            }
          }
          return nullptr;
        };
  }

  MakeFirstPlan make_plan(const Pomdp& model) const {
    std::string start = options_.start;
    if (start == "auto" && !options_.networks) start = "blind";
    const bool use_likelihood = options_.rounds.belief.use_likelihood;
    nvi::HeadPlanOptions heads = options_.heads;
    heads.belief.use_likelihood = heads.samples.use_likelihood = use_likelihood;
    anchors::PlanOptions anchors = options_.anchors;
    anchors.table.use_likelihood = use_likelihood;
    heads.depth = std::max(heads.depth, options_.rounds.depth(model.facts()));
    habits::PlanOptions habits = options_.habits;
    habits.habits.depth = options_.rounds.depth(model.facts());
    if (start == "auto") {
      std::vector<MakeFirstPlan> forms;
      if (gated(model)) forms.push_back(nvi::first_plan(model, heads));
      forms.push_back(anchors::first_plan(model, anchors));
      forms.push_back(habits::first_plan(model, habits));
      return first_that_fits(model, std::move(forms));
    }
    if (start == "gated") return nvi::first_plan(model, heads);
    if (start == "anchors") return anchors::first_plan(model, anchors);
    if (start == "habits") return habits::first_plan(model, habits);
    if (start == "cells") return cells::first_plan(model, options_.cells);
    return {};
  }

  nvi::NviOptions options_;
};

}  // namespace

std::unique_ptr<Solver> make_nvi() {
  return std::make_unique<NviSolver>();
}

}  // namespace penumbra
