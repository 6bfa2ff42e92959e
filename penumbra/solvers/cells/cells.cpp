#include "penumbra/solvers/cells/cells.h"

#include "penumbra/policy/fnc.h"
#include "penumbra/solvers/anytime.h"
#include "penumbra/solvers/best_so_far.h"
#include "penumbra/solvers/cells/plan.h"

namespace penumbra {
namespace cells {
namespace {

struct CellsOptions {
  PlanOptions plan;
  int evaluations = 10'000;  // episodes of each simulated value

  void list(OptionList& l) {
    plan.list(l);
    l.add("evaluations", evaluations, 10, 10'000'000, "episodes of each simulated value");
  }
};

class CellRounds final : public Rounds {
 public:
  CellRounds(const Pomdp& model, const CellsOptions& options, const Anytime& frame, uint64_t seed,
             ThreadPool& pool)
      : model_(model),
        options_(options),
        pool_(pool),
        plan_(model, plan_options(options, frame), RngKey::from_seed(seed).fold("cells"), pool,
              frame.stop()) {
    work_.simulator_steps = plan_.simulator_steps();
  }

  void start() override {}
  bool round(const Stop& stop) override {
    const PhaseTimer timer(work_, Phase::kPlan);
    return plan_.run(stop);
  }

  uint64_t backups() const override { return plan_.backups(); }
  Standing standing() const override {
    return {.nodes = nodes_, .gap = best_.gap(upper_.value), .converged = plan_.finished()};
  }
  const Work& work() const override { return work_; }

  void evaluate(SolveProgress& line, const Stop&) override {
    Fsc fsc = plan_.controller();
    nodes_ = fsc.num_nodes();
    upper_.value = plan_.mdp_value();
    const Score score = judge(model_, FscPolicy(fsc, model_.facts()), options_.evaluations, pool_);
    if (best_.beaten_by(score)) best_.take(std::move(fsc), score);
    line.estimate = plan_.claim();
    line.simulated = score;
    line.upper = upper_;
  }

  void finish(Solution& s) override {
    s.estimate = best_.score().mean;
    s.upper = upper_;
    s.policy = std::make_shared<Fnc>(Fnc{best_.policy()});
  }

  void archive(Saver& saver) override { archive_all(saver); }
  void archive(Loader& loader) override { archive_all(loader); }

 private:
  static PlanOptions plan_options(const CellsOptions& options, const Anytime& frame) {
    PlanOptions plan = options.plan;
    plan.memory = 0.6 * frame.limits().memory;
    return plan;
  }
  template <class Archive>
  void archive_all(Archive& a) {
    a(plan_, nodes_, work_, best_, upper_);
  }

  const Pomdp& model_;
  const CellsOptions& options_;
  ThreadPool& pool_;
  Work work_;
  Plan plan_;
  int nodes_ = 0;
  UpperValue upper_;  // of the table, which is an estimate
  BestSoFar<Fsc> best_;
};

class CellsSolver final : public Solver {
 public:
  OptionList options() override { return list_options(options_); }
  Capabilities needs() const override { return abstraction_needs(); }
  PolicyForm makes() const override { return PolicyForm::kController; }
  Solution solve(const Pomdp& model, const Limits& limits, uint64_t seed, ThreadPool& pool,
                 const Report& report) override {
    require(model, needs(), "cells");
    Anytime frame(limits, report, pool, {.growth = 1.2, .early = 500});
    try {
      CellRounds rounds(model, options_, frame, seed, pool);
      return frame.run(rounds);
    } catch (const Stopped&) {
      return frame.stopped_at_start(model);
    }
  }

 private:
  CellsOptions options_;
};

}  // namespace
}  // namespace cells

std::unique_ptr<Solver> make_cells() {
  return std::make_unique<cells::CellsSolver>();
}

}  // namespace penumbra
