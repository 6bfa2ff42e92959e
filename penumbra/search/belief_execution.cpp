#include "penumbra/search/belief_execution.h"

#include "penumbra/model/audited.h"
#include "penumbra/model/classified.h"
#include "penumbra/search/despot.h"
#include "penumbra/search/largest_value.h"
#include "penumbra/search/online_policy.h"

namespace penumbra::search {
std::unique_ptr<Policy> belief_execution(const Pomdp& inner, const Fnc& controller, int particles) {
  const auto audited = std::make_shared<const Audited>(inner);
  const Pomdp& model = *audited;
  const auto guide = std::make_shared<Guide>(model, controller, "the controller");
  auto planner = std::make_unique<Despot>(model, DespotOptions{}, guide,
                                          std::make_shared<LargestValue>(model.facts()));
  OnlineOptions options;
  options.particles = particles;
  options.budget = {};  // no descents: only the node is chosen
  return std::make_unique<OnlinePolicy>(
      audited, std::move(planner), guide, options,
      "controller of " + std::to_string(controller.fsc.num_nodes()) + " nodes with " +
          std::to_string(particles) + " particles",
      groups_of_likelihood(inner));
}

}  // namespace penumbra::search
