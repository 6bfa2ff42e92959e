#include "penumbra/solvers/anchors/plan.h"

#include <algorithm>

namespace penumbra::anchors {
namespace {

// Twice those of a plan on cells: less is blurred, so that more plans can be told apart.
constexpr cells::VectorLimits kLimits{.memory = 960e6, .most = 4096};

// As many anchors as fit in the memory with some hundred vectors beside them.
TableOptions that_fit(TableOptions o, const Pomdp& model, double memory) {
  if (o.anchors > 0 || memory <= 0) return o;
  const double anchors = memory / bytes_per_anchor(model, o);
  o.anchors = static_cast<int>(std::min<double>(usual_anchors(model), std::max(anchors, 16.0)));
  return o;
}

}  // namespace

void PlanOptions::list(OptionList& l) {
  table.list(l);
  l.add("anchor-gain", gain, 0, 1,
        "the plan at anchors is done when twice the backups gain less than this share of its gap");
}

Plan::Plan(const Pomdp& model, const PlanOptions& options, RngKey key, ThreadPool& pool,
           const Stop& stop)
    : Plan(make_table(model, that_fit(options.table, model, options.memory), key.fold("anchors"),
                      pool, stop),
           options, key, pool) {}

Plan::Plan(const AnchorTable& made, const PlanOptions& options, RngKey key, ThreadPool& pool)
    : TablePlan(made.table, made.steps, options.gain, kLimits.within(options.memory / 3),
                key.fold("walks"), pool) {}

MakeFirstPlan first_plan(const Pomdp& model, const PlanOptions& options) {
  return [&model, options](const MdpValue&, double memory, RngKey key, ThreadPool& pool,
                           const Stop& stop) {
    PlanOptions own = options;
    own.memory = memory;
    return std::make_unique<Plan>(model, own, key, pool, stop);
  };
}

}  // namespace penumbra::anchors
