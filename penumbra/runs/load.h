// What a text names, loaded: a model and the policies to run on it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "domains/registry.h"
#include "penumbra/io/model_file.h"
#include "penumbra/model/macro_action.h"
#include "penumbra/model/pomdp.h"
#include "penumbra/policy/belief_memory.h"
#include "penumbra/policy/form.h"
#include "penumbra/policy/policy.h"
#include "penumbra/runs/common_options.h"

namespace penumbra {

// A policy stays valid as long as the model does.
struct Job {
  std::shared_ptr<const Pomdp> model;
  std::vector<std::unique_ptr<Policy>> policies;  // in the order asked for
};

// A model file; warnings about it go to common.warn.
ModelFile load_file(const std::string& path, const CommonOptions& common);

// A domain by its string, the model of a file (*.pomdp, *.pomdpx), or one of one's own (*.cpp,
// *.so: runs/plugin.h), which the user must have named. Warnings about a file go to
// common.warn. With `finite` continuous observations are clustered. Throws Error for what is not
// there.
std::unique_ptr<Pomdp> load_model(const std::string& text, const CommonOptions& common,
                                  bool finite = false);

// "python:Robot" names a model that a program has in memory: it cannot be loaded by its name.
bool is_given_model(const std::string& text);
// The entry of the domain that the text names; null for a file and for a model of a program.
const Domain* domain_of(const std::string& text);

// Throws Error where the model lacks what is needed, saying which parameter of the domain gives it
// where one does.
void require_for(const std::string& domain, const Pomdp& model, Capabilities needed,
                 const std::string& who);

// Macro-actions for a model, beside its own actions: "own" (the domain's), "repeat=K" (every action
// K times), or several of these with commas between. Throws Error for anything else.
std::vector<MacroAction> read_macro_actions(const std::string& text, const std::string& domain,
                                            const Pomdp& model);

// Throws Error for a policy that no model could have: a name, a parameter or a file that is not
// there.
void check_policy(const std::string& text);

// How a controller is executed: by its node alone, or with a belief that may choose another node.
enum class Execution { kController, kBelief };
// Throws Error for anything but "controller" and "belief".
Execution parse_execution(const std::string& text);
// Throws Error where a belief is asked for and the policy is no controller of finite observations.
std::unique_ptr<Policy> executed(const Pomdp& model, const PolicyData& policy, Execution how,
                                 size_t most_remembered = kMostRemembered);

// A policy by its name, a planner with its parameters, or a file. Throws Error for what is not
// there or does not fit.
std::unique_ptr<Policy> load_policy(const std::string& text, const Pomdp& model, Execution how,
                                    const CommonOptions& common);
// Controllers need finite observations, unless they were made without; named policies take any.
bool needs_finite_model(const std::string& policy);
// What it is played on, where it was loaded for `model`: another one if its filter takes
// observations as they are.
std::shared_ptr<const Pomdp> played_on(std::shared_ptr<const Pomdp> model,
                                       const std::string& policy, Execution how);

// Throws Error for a domain, a policy or a file that is not there.
Job load_job(const std::string& domain, const std::vector<std::string>& policies,
             const CommonOptions& common, Execution how = Execution::kController);

}  // namespace penumbra
