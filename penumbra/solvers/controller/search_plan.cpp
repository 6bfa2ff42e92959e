#include "penumbra/solvers/controller/search_plan.h"

#include "penumbra/search/despot.h"

namespace penumbra::controller {

SearchPlan search_plan(const Pomdp& model, const MdpValue& values, const RoundsOptions& options,
                       Fsc& fsc, int node, ConstRecords states, RngKey key) {
  const search::Guide guide(model, Fnc{fsc}, "the controller");
  search::BoundOptions bounds;
  bounds.depth = options.search_depth;
  bounds.judges = 0;  // the proposal judges
  search::BoundSearch tree(guide, values, bounds,
                           search::scenarios(model, options.search_scenarios, nullptr), nullptr);
  const search::Decision decision =
      tree.plan({states, {}, node}, {.simulations = uint64_t(options.search)}, key);
  SearchPlan plan;
  plan.steps = static_cast<double>(decision.steps);
  std::vector<int> beliefs;
  plan.first = tree.append_plan(fsc, &beliefs);
  for (int b : beliefs) {
    TrainingSet own{RecordBuffer(model.state_size()), {}};
    const ConstRecords all = tree.tree().states_of(b);
    own.states.append(all.sub(0, std::min<size_t>(all.count, options.backup.training_states)));
    plan.training.push_back(std::move(own));
  }
  return plan;
}

}  // namespace penumbra::controller
