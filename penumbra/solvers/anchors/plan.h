// A plan for a model whose states have features: alpha functions that attend to sampled states
// (anchor_table.h), by point-based value iteration (cells/cell_plan.h). No grid and no rollouts; it
// is a controller of the model as it stands.
#pragma once

#include "penumbra/solvers/anchors/anchor_table.h"
#include "penumbra/solvers/cells/table_plan.h"

namespace penumbra::anchors {

struct PlanOptions {
  TableOptions table;
  double memory = 0;     // bytes that it may take, about; 0: what is reasonable
  double gain = 0.0002;  // over when twice the backups gain less than this share of the first gap

  void list(OptionList& l);
};

class Plan final : public cells::TablePlan {
 public:
  // Throws Stopped (base/stop.h) if it is stopped while it makes the table.
  Plan(const Pomdp& model, const PlanOptions& options, RngKey key, ThreadPool& pool,
       const Stop& stop = {});

  // With the functions that were of use last, as many as make a file of a reasonable size.
  std::vector<Fnc> controllers() const override;

 private:
  Plan(const AnchorTable& table, const PlanOptions& options, RngKey key, ThreadPool& pool);

  std::shared_ptr<const nn::AnchorBank> functions_;  // none of them yet; null: they cannot be kept
};

// For solvers that begin with such a plan; `options` is copied, the model outlives the plan.
MakeFirstPlan first_plan(const Pomdp& model, const PlanOptions& options);

}  // namespace penumbra::anchors
