#include "penumbra/solvers/cells/plan.h"

#include <algorithm>

namespace penumbra::cells {
namespace {

// A grid that fits in the memory with some hundred vectors beside it.
AbstractionOptions that_fits(AbstractionOptions o, const Pomdp& model, double memory) {
  constexpr double kFixed = 2'000, kPerAction = 1'500;  // bytes per cell
  if (o.cells > 0 || memory <= 0) return o;
  const double cells = memory / (kFixed + kPerAction * model.facts().num_actions);
  o.cells = static_cast<int>(
      std::min<double>(default_cells(model.num_coordinates()), std::max(cells, 16.0)));
  return o;
}

}  // namespace

Plan::Plan(const Pomdp& model, const PlanOptions& options, RngKey key, ThreadPool& pool,
           const Stop& stop)
    : Plan(abstract_model(model, that_fits(options.abstraction, model, options.memory),
                          key.fold("cells"), pool, stop),
           options, key, pool) {}

Plan::Plan(const Tabular& table, const PlanOptions& options, RngKey key, ThreadPool& pool)
    : TablePlan(table,
                double(table.num_states - 1) * table.num_actions * options.abstraction.samples,
                options.gain, VectorLimits().within(options.memory / 3), key.fold("walks"), pool) {}

MakeFirstPlan first_plan(const Pomdp& model, const PlanOptions& options) {
  return [&model, options](const MdpValue&, double memory, RngKey key, ThreadPool& pool,
                           const Stop& stop) {
    PlanOptions own = options;
    own.memory = memory;
    return std::make_unique<Plan>(model, own, key, pool, stop);
  };
}

}  // namespace penumbra::cells
