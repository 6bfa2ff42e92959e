#include "penumbra/solvers/nvi/abstract_plan.h"

#include "penumbra/solvers/points/plan.h"

namespace penumbra::nvi {

AbstractPlan::AbstractPlan(const Pomdp& model, const AbstractPlanOptions& options, RngKey key,
                           ThreadPool& pool)
    : gain_(options.gain),
      num_observations_(model.facts().num_observations),
      steps_(0),
      table_(abstract_model(model, options.abstraction, key.fold("cells"), pool)),
      bounds_(table_, pool),
      walks_(bounds_, key.fold("walks")),
      first_gap_(bounds_.root_upper() - bounds_.root_lower()),
      last_lower_(bounds_.root_lower()) {
  steps_ = double(table_.num_states()) * table_.num_actions() * options.abstraction.samples;
}

bool AbstractPlan::run(const points::Stop& stop) {
  if (!walks_.run(stop)) return false;
  if (backups() < next_look_) return true;
  const double lower = bounds_.root_lower();
  finished_ = lower - last_lower_ < gain_ * first_gap_;
  last_lower_ = lower;
  next_look_ = 2 * backups();
  return true;
}

Fsc AbstractPlan::controller() {
  return points::plan_controller(bounds_, num_observations_);
}

}  // namespace penumbra::nvi
