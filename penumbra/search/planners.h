// Planners by name: `despot(time=0.1s,scenarios=500)`, `pomcp(simulations=5000)`.
#pragma once

#include <functional>
#include <string>

#include "penumbra/base/spec.h"
#include "penumbra/base/stop.h"
#include "penumbra/policy/fnc.h"
#include "penumbra/policy/policy.h"
#include "penumbra/search/online_policy.h"

namespace penumbra::search {

struct PlannerInfo {
  const char* name;
  const char* summary;
  Capabilities needs;  // of the model; continuous observations can be clustered
};
std::vector<PlannerInfo> planners();
// Whether the name before the bracket is one of them.
bool is_planner(const std::string& spec);
bool needs_finite_observations(const std::string& spec);
// Whether its filter takes observations as they are, where the planner plans with groups of them:
// it is played on the model before they were grouped.
bool sees_raw(const std::string& spec, const Pomdp& model);

// Reads a controller from a file that a parameter names.
using ReadController = std::function<Fnc(const std::string& path)>;

// A planner as its text describes it, and what who acts by it needs beside it.
struct NamedPlanner {
  std::shared_ptr<const Pomdp> audited;  // the model as the planner sees it (model/audited.h)
  std::unique_ptr<const Planner> planner;
  std::shared_ptr<const Guide> guide;  // the controller that goes along, or null
  const Classified* groups = nullptr;  // the model, where the filter takes what it groups (raw)
  OnlineOptions options;
  std::string text;                             // the name with the values that were given
  std::vector<Params::Declaration> parameters;  // all that it has
};
// The model outlives it. V_mdp is made here where a planner needs it. Throws Error for parameters
// that are not there and for what the model lacks. `stop` ends the making of V_mdp early.
NamedPlanner named_planner(const std::string& spec, const Pomdp& model, const ReadController& read,
                           ThreadPool& pool, const Stop& stop = {});
// The same as a policy. Where sees_raw() it is played on the model before observations were
// grouped.
std::unique_ptr<Policy> online_policy(const std::string& spec, const Pomdp& model,
                                      const ReadController& read, ThreadPool& pool,
                                      const Stop& stop = {});

}  // namespace penumbra::search
