#include "penumbra/solvers/anchors/plan.h"

#include <algorithm>

#include "penumbra/nn/anchor_bank.h"

namespace penumbra::anchors {
namespace {

// Twice those of a plan on cells: less is blurred, so that more plans can be told apart.
constexpr cells::VectorLimits kLimits{.memory = 960e6, .most = 4096};
constexpr double kSavedBytes = 24e6;  // of functions that go with a controller
constexpr double kFewestSaved = 16, kMostSaved = 512;

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
                key.fold("walks"), pool),
      functions_(made.functions) {}

std::vector<Fnc> Plan::controllers() const {
  if (!functions_) return TablePlan::controllers();
  std::vector<int> vector_of;
  Fnc fnc{plan().controller(&vector_of)};
  const cells::CellVectors& vectors = plan().vectors();
  std::vector<int> nodes;
  for (int n = 0; n < fnc.fsc.num_nodes(); ++n)
    if (vector_of[n] >= 0) nodes.push_back(n);
  std::stable_sort(nodes.begin(), nodes.end(), [&](int a, int b) {
    return vectors[vector_of[a]].last_used > vectors[vector_of[b]].last_used;
  });
  const double room = kSavedBytes / (sizeof(float) * double(functions_->num_anchors()));
  nodes.resize(
      std::min(nodes.size(), static_cast<size_t>(std::clamp(room, kFewestSaved, kMostSaved))));
  fnc.alpha.assign(fnc.fsc.num_nodes(), -1);
  std::vector<std::span<const float>> values;
  for (int n : nodes) {
    fnc.alpha[n] = static_cast<int>(values.size());
    values.push_back(vectors[vector_of[n]].value);
  }
  fnc.networks = std::make_shared<nn::AnchorBank>(functions_->with(values));
  std::vector<Fnc> offered;
  offered.push_back(std::move(fnc));
  return offered;
}

MakeFirstPlan first_plan(const Pomdp& model, const PlanOptions& options) {
  return [&model, options](const MdpValue&, double memory, RngKey key, ThreadPool& pool,
                           const Stop& stop) {
    PlanOptions own = options;
    own.memory = memory;
    return std::make_unique<Plan>(model, own, key, pool, stop);
  };
}

}  // namespace penumbra::anchors
