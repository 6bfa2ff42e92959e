#include "penumbra/solvers/nvi/abstract_plan.h"

namespace penumbra::nvi {

AbstractPlan::AbstractPlan(const Pomdp& model, const AbstractPlanOptions& options, RngKey key,
                           ThreadPool& pool)
    : gain_(options.gain),
      plan_(abstract_model(model, options.abstraction, key.fold("cells"), pool), key.fold("walks"),
            pool),
      last_value_(plan_.value()) {
  gain_ *= plan_.mdp_value() - last_value_;
  steps_ =
      double(plan_.num_cells()) * model.facts().num_actions * options.abstraction.samples;
}

bool AbstractPlan::run(const std::function<bool()>& stop) {
  if (!plan_.run(stop)) return false;
  if (backups() < next_look_) return true;
  const double value = plan_.value();
  finished_ = value - last_value_ < gain_;
  last_value_ = value;
  next_look_ = 2 * backups();
  return true;
}

}  // namespace penumbra::nvi
