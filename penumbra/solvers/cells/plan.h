// A plan for a model whose states have plain coordinates: on cells of a grid, whose probabilities
// are estimated by simulation (model/abstraction.h), by point-based value iteration (cell_plan.h).
// It is a controller of the model as it stands. The solver `cells` is this plan alone; nvi and mcvi
// can begin with it.
#pragma once

#include "penumbra/base/options.h"
#include "penumbra/base/stop.h"
#include "penumbra/model/abstraction.h"
#include "penumbra/solvers/cells/table_plan.h"

namespace penumbra::cells {

struct PlanOptions {
  AbstractionOptions abstraction;
  double memory = 0;     // bytes that it may take, about; 0: what is reasonable
  double gain = 0.0002;  // over when twice the backups gain less than this share of the first gap

  void list(OptionList& l) {
    l.add("cells", abstraction.cells, 0, 1'000'000,
          "cells of the grid that a plan is made on, at most; 0: by the coordinates");
    l.add("cell-samples", abstraction.samples, 1, 100'000, "simulated steps per cell and action");
    l.add("cell-gain", gain, 0, 1,
          "the plan on cells is done when twice the backups gain less than this share of its gap");
  }
};

class Plan final : public TablePlan {
 public:
  // Throws Stopped (base/stop.h) if it is stopped while it makes the table.
  Plan(const Pomdp& model, const PlanOptions& options, RngKey key, ThreadPool& pool,
       const Stop& stop = {});

 private:
  Plan(const Tabular& table, const PlanOptions& options, RngKey key, ThreadPool& pool);
};

// For solvers that begin with such a plan; `options` is copied, the model outlives the plan.
MakeFirstPlan first_plan(const Pomdp& model, const PlanOptions& options);

}  // namespace penumbra::cells
