// The first controller where states have plain coordinates: a plan for an abstraction of the model
// (model/abstraction.h), found by point-based value iteration (cell_plan.h). It is a controller of
// the model as it stands; what the abstraction got wrong, the rounds of Neural Value Iteration put
// right.
#pragma once

#include "penumbra/base/options.h"
#include "penumbra/model/abstraction.h"
#include "penumbra/solvers/nvi/cell_plan.h"

namespace penumbra::nvi {

struct AbstractPlanOptions {
  AbstractionOptions abstraction;
  double memory = 0;     // bytes that it may take, about; 0: what is reasonable
  double gain = 0.0002;  // over when twice the backups gain less than this share of the first gap

  void list(OptionList& l) {
    l.add("abstract-cells", abstraction.cells, 0, 1'000'000,
          "cells of the abstraction that the first plan is made on; 0: by the coordinates");
    l.add("abstract-samples", abstraction.samples, 1, 100'000,
          "simulated steps per cell and action");
    l.add("abstract-gain", gain, 0, 1,
          "the plan is done when twice the backups gain less than this share of its first gap");
  }
};

class AbstractPlan {
 public:
  AbstractPlan(const Pomdp& model, const AbstractPlanOptions& options, RngKey key,
               ThreadPool& pool);

  // A round of walks with their backups. False when `stop` came first: nothing has changed.
  bool run(const std::function<bool()>& stop);
  bool finished() const { return finished_; }
  uint64_t backups() const { return plan_.backups(); }
  double simulator_steps() const { return steps_; }  // that the abstraction took
  Fsc controller() const { return plan_.controller(); }

  template <class Archive>
  void archive(Archive& a) {
    a(plan_, finished_, next_look_, last_value_);
  }

 private:
  double gain_;  // over when twice the backups gain less
  double steps_ = 0;
  CellPlan plan_;
  bool finished_ = false;
  uint64_t next_look_ = 500;  // backups
  double last_value_;         // at the last look
};

}  // namespace penumbra::nvi
