// Planners by name: `despot(time=0.1s,scenarios=500)`, `pomcp(simulations=5000)`.
#pragma once

#include <functional>
#include <string>

#include "penumbra/policy/fnc.h"
#include "penumbra/policy/policy.h"
#include "penumbra/search/search.h"

namespace penumbra::search {

struct PlannerInfo {
  const char* name;
  const char* summary;
  bool finite_observations;  // it needs them: continuous ones are clustered
};
std::vector<PlannerInfo> planners();
// Whether the name before the bracket is one of them.
bool is_planner(const std::string& spec);
bool needs_finite_observations(const std::string& spec);

// Reads a controller from a file that a parameter names.
using ReadController = std::function<Fnc(const std::string& path)>;

// The planner as a policy. The model outlives it. V_mdp is made here where a planner needs it.
// Throws Error for parameters that are not there and for what the model lacks.
std::unique_ptr<Policy> online_policy(const std::string& spec, const Pomdp& model,
                                      const ReadController& read, ThreadPool& pool);

}  // namespace penumbra::search
