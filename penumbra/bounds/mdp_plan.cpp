#include "penumbra/bounds/mdp_plan.h"

#include <algorithm>
#include <cmath>

namespace penumbra {

MdpPlanner::MdpPlanner(const Pomdp& model, const MdpValue& values, RngKey key, ThreadPool& pool,
                       const MdpPlanOptions& options, const Stop& stop)
    : model_(model), values_(values) {
  require(model, Capability::kFiniteActions, "an MDP plan");
  study_ = study_actions(model, key, pool, stop);
  search_.actions = study_.actions;
  search_.outcomes = study_.any_random() ? options.outcomes : 1;
  search_.max_states = options.max_states;
  search_.max_depth = effective_horizon(model.facts());
}

MdpPlan MdpPlanner::plan(const std::byte* state, RngKey key) const {
  const Facts& facts = model_.facts();
  MdpPlan plan;
  plan.states = RecordBuffer(model_.state_size());
  StateGraph graph(model_, search_);
  graph.expand({state, model_.state_size(), 1}, key);
  if (graph.num_states() == 0) return plan;  // terminal
  solve_with(graph, values_, 1e-4 * std::max(facts.max_reward - facts.min_reward, 1e-3));
  plan.value = graph.values()[0];
  size_t at = 0;
  while (at < graph.num_expanded() && plan.actions.size() <= size_t(search_.max_depth)) {
    const StateGraph::Choice best = graph.best(at);
    plan.actions.push_back(best.action);
    plan.states.push_back(graph.states().at(at));
    const bool chance = study_.random[best.action];
    plan.ends = best.next < 0 && !chance;
    if (best.next < 0 || best.next == static_cast<int32_t>(at) || chance) break;
    at = best.next;
  }
  return plan;
}

void solve_with(StateGraph& graph, const MdpValue& values, double tolerance, const Stop& stop) {
  std::vector<double> fringe(graph.fringe().count);
  values.value(graph.fringe(), fringe);
  graph.solve(fringe, tolerance, 200, stop);
}

}  // namespace penumbra
