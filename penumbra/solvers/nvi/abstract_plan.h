// The first controller where states have plain coordinates: a plan for an abstraction of the model
// (model/abstraction.h), found by point-based value iteration. It is a controller of the model as
// it stands; what the abstraction got wrong, the rounds of Neural Value Iteration put right.
#pragma once

#include "penumbra/model/abstraction.h"
#include "penumbra/solvers/points/walks.h"

namespace penumbra::nvi {

struct AbstractPlanOptions {
  AbstractionOptions abstraction;
  double gain = 0.002;  // over when twice the backups gain less than this share of the first gap

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

  // One walk with its backups. False when `stop` came first: the next call goes on there.
  bool run(const points::Stop& stop);
  bool finished() const { return finished_; }
  uint64_t backups() const { return bounds_.num_backups(); }
  double simulator_steps() const { return steps_; }  // that the abstraction took
  Fsc controller();

  template <class Archive>
  void archive(Archive& a) {
    a(bounds_, finished_, next_look_, last_lower_);
    if constexpr (Archive::kLoading)
      walks_.load(a);
    else
      walks_.save(a);
  }

 private:
  double gain_;
  int num_observations_;
  double steps_;
  MixedModel table_;
  points::PointBounds bounds_;
  points::Walks walks_;
  double first_gap_;
  bool finished_ = false;
  uint64_t next_look_ = 500;  // backups
  double last_lower_ = 0;     // at the last look
};

}  // namespace penumbra::nvi
