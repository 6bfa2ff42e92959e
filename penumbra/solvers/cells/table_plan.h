// A first plan on a table that stands for a model: point-based value iteration (cell_plan.h) until
// it hardly gains any more. Where the table comes from is up to others: cells (plan.h) or anchors
// (anchors/plan.h).
#pragma once

#include "penumbra/solvers/cells/cell_plan.h"
#include "penumbra/solvers/first_plan.h"

namespace penumbra::cells {

class TablePlan : public FirstPlan {
 public:
  // `steps`: what the table took. `gain`: the plan is over when twice the backups gain less than
  // this share of the first gap.
  TablePlan(const Tabular& table, double steps, double gain, VectorLimits limits, RngKey key,
            ThreadPool& pool);

  bool run(const Stop& stop) override;
  bool finished() const override { return finished_; }
  uint64_t backups() const override { return plan_.backups(); }
  double simulator_steps() const override { return steps_; }
  double claim() const override { return plan_.value(); }  // by the table
  double mdp_value() const { return plan_.mdp_value(); }   // if the table's state were known
  Fsc controller() const { return plan_.controller(); }
  std::vector<Fnc> controllers() const override { return {{plan_.controller()}}; }
  // What the table promises may rise for ever while its controllers do no better: over when several
  // times the backups have not raised their simulated value.
  void judged(double value) override;

  void archive(Saver& saver) override { archive_all(saver); }
  void archive(Loader& loader) override { archive_all(loader); }

 protected:
  const CellPlan& plan() const { return plan_; }

 private:
  template <class Archive>
  void archive_all(Archive& a) {
    a(plan_, finished_, next_look_, last_value_, best_value_, best_at_);
  }

  double steps_;
  CellPlan plan_;
  bool finished_ = false;
  uint64_t next_look_ = 500;  // backups
  double last_value_;         // at the last look
  double best_value_;         // simulated
  uint64_t best_at_ = 0;      // backups
  double gain_;               // over when twice the backups gain less
};

}  // namespace penumbra::cells
