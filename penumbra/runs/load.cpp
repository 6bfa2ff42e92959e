#include "penumbra/runs/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "domains/registry.h"
#include "penumbra/base/error.h"
#include "penumbra/io/any_policy.h"
#include "penumbra/model/audited.h"
#include "penumbra/model/tabular_pomdp.h"
#include "penumbra/policy/classifying.h"
#include "penumbra/policy/named.h"
#include "penumbra/policy/playable.h"
#include "penumbra/runs/plugin.h"
#include "penumbra/search/belief_execution.h"
#include "penumbra/search/leaf.h"
#include "penumbra/search/planners.h"
#include "yardsticks/registry.h"

namespace penumbra {
namespace {

// The controller of a policy file, for a planner that it guides.
Fnc read_guide(const std::string& path, const Pomdp& model) {
  if (!is_policy_path(path) && !std::filesystem::exists(path))
    throw Error(fmt::format(
        "there is no policy file '{}'; lower is blind, an action or a controller's file, leaf is "
        "auto, rollout, "
        "mdp, blind, zero or such a file",
        path));
  const PolicyData policy = load_policy_data(path, model);
  const auto* controller = policy_as<Fnc>(policy);
  if (!controller) throw Error(path + " holds no controller of finite observations");
  return *controller;
}

// The answers of a model of one's own are looked at while it is played, too.
std::shared_ptr<const Pomdp> audited(std::shared_ptr<const Pomdp> model) {
  const Pomdp& played = *model;
  return {new Audited(played), [model](const Audited* view) { delete view; }};
}

// A slash may also stand in a planner's parameters; a file may have any ending.
bool is_file_name(const std::string& text) {
  std::error_code error;
  return !search::is_planner(text) &&
         (is_policy_path(text) ||
          (text.find('.') != std::string::npos && std::filesystem::is_regular_file(text, error)));
}

// Whether the text is a planner on top of a policy file.
bool has_controller(const std::string& text) {
  if (!search::is_planner(text)) return false;
  const std::string leaf = Spec::parse(text).take("leaf");
  return !leaf.empty() && !search::is_leaf_kind(leaf);
}

void check_name(const std::string& text) {
  std::vector<std::string> planners;
  for (const search::PlannerInfo& planner : search::planners()) planners.push_back(planner.name);
  std::vector<std::string> names = {"blind", "random", "expert"};
  names.insert(names.end(), planners.begin(), planners.end());
  const std::string name = Spec::parse(text).name;
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw Error(fmt::format(
        "there is no policy '{}'{}; there are blind(action=NAME), random, expert, the planners {}, "
        "and files of penumbra solve",
        name, did_you_mean(name, names), fmt::join(planners, ", ")));
}

}  // namespace

std::unique_ptr<Policy> load_policy(const std::string& text, const Pomdp& model, Execution how,
                                    const CommonOptions& common) {
  if (is_file_name(text)) {
    const PolicyData policy = load_policy_data(text, model);
    if (how == Execution::kBelief && !policy_as<Fnc>(policy))
      throw Error(text + " holds no controller, so --execute belief does not apply to it");
    return executed(model, policy, how);
  }
  if (how == Execution::kBelief)
    throw Error("--execute belief is for a controller in a policy file, not for " + text);
  if (auto policy = yardstick(text, model)) return policy;
  if (search::is_planner(text)) {
    ThreadPool pool(static_cast<int>(common.threads));
    return search::online_policy(
        text, model, [&](const std::string& path) { return read_guide(path, model); }, pool,
        common.interrupted);
  }
  check_name(text);
  return named_policy(text, model);
}

bool is_given_model(const std::string& text) {
  return text.substr(0, text.find('(')).find(':') != std::string::npos && !is_model_path(text) &&
         !is_plugin_path(text);
}

void check_policy(const std::string& text) {
  if (is_file_name(text)) {
    if (!std::filesystem::exists(text)) throw Error("there is no policy file '" + text + "'");
    return;
  }
  check_name(text);
  if (!search::is_planner(text)) return;
  Spec spec = Spec::parse(text);
  for (const char* key : {"lower", "leaf"})
    if (const std::string file = spec.take(key); is_policy_path(file)) check_policy(file);
  spec.take("raw");  // only of some models
  ThreadPool pool(1);
  search::named_planner(spec.text(), *load_finite_domain("tiger"), {}, pool);
}

ModelFile load_file(const std::string& path, const CommonOptions& common) {
  ReadOptions options;
  options.strict = common.strict;
  options.memory_limit = static_cast<double>(common.load_memory) * 1e6;
  ModelFile file = read_model_file(path, options);
  if (!common.quiet)
    for (const std::string& warning : file.warnings) common.warning(warning);
  return file;
}

const Domain* domain_of(const std::string& text) {
  return is_model_path(text) || is_plugin_path(text) || is_given_model(text)
             ? nullptr
             : &find_domain(Spec::parse(text).name);
}

std::unique_ptr<Pomdp> load_model(const std::string& text, const CommonOptions& common,
                                  bool finite) {
  if (is_given_model(text))
    throw Error(text + " is a model of a program, not of this one: that program can load it");
  if (is_plugin_path(text)) return load_plugin(text, common, finite);
  if (!is_model_path(text)) return finite ? load_finite_domain(text) : load_domain(text);
  return tabular_pomdp(load_file(text, common).table);
}

void require_for(const std::string& domain, const Pomdp& model, Capabilities needed,
                 const std::string& who) {
  const Capabilities missing = needed.without(model.capabilities());
  if (missing.has(Capability::kFiniteActions))
    if (const Domain* entry = domain_of(domain); entry && entry->finite_actions)
      throw Error(fmt::format("{} needs finite actions; {} has continuous ones: set {}", who,
                              model.facts().name, entry->finite_actions));
  require(model, needed, who);
}

std::vector<MacroAction> read_macro_actions(const std::string& text, const std::string& domain,
                                            const Pomdp& model) {
  constexpr int kMostTimes = 1000;
  std::vector<MacroAction> macros = single_actions(model.facts());
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    begin = end + 1;
    double times = 0;
    std::vector<MacroAction> more;
    if (word == "own") {
      const Domain* entry = domain_of(domain);
      if (!entry || !entry->macro_actions)
        throw Error(domain + " declares no macro-actions; --macro-actions repeat=3 makes some");
      more = entry->macro_actions(model.facts());
    } else if (word.rfind("repeat=", 0) == 0 && parse_number(word.substr(7), times) && times >= 2 &&
               times <= kMostTimes && times == std::floor(times)) {
      more = repeated_actions(model.facts(), static_cast<int>(times));
    } else {
      throw Error(
          fmt::format("--macro-actions takes own or repeat=K with K from 2 to {}, or "
                      "several with commas between, not '{}'",
                      kMostTimes, word));
    }
    macros.insert(macros.end(), more.begin(), more.end());
  }
  return macros;
}

Execution parse_execution(const std::string& text) {
  if (text == "controller") return Execution::kController;
  if (text == "belief") return Execution::kBelief;
  throw Error("--execute must be controller or belief, not '" + text + "'");
}

std::unique_ptr<Policy> executed(const Pomdp& model, const PolicyData& policy, Execution how,
                                 size_t most_remembered) {
  if (how == Execution::kController) return playable(policy, model, most_remembered);
  const auto* controller = policy_as<Fnc>(policy);
  if (!controller) throw Error("--execute belief is for controllers of finite observations");
  return search::belief_execution(model, *controller);
}

bool needs_finite_model(const std::string& text) {
  return search::needs_finite_observations(text) || has_controller(text) ||
         (is_file_name(text) &&
          !(is_own_policy(text) && read_policy_file(text).num_observations == 0));
}

std::shared_ptr<const Pomdp> played_on(std::shared_ptr<const Pomdp> model,
                                       const std::string& policy, Execution how) {
  const Classified* groups = groups_of_likelihood(*model);
  if (!groups || !(how == Execution::kBelief || search::sees_raw(policy, *model))) return model;
  return {std::move(model), &groups->inner()};
}

Job load_job(const std::string& domain, const std::vector<std::string>& policies,
             const CommonOptions& common, Execution how) {
  const bool finite = std::any_of(policies.begin(), policies.end(), needs_finite_model);
  const std::shared_ptr<const Pomdp> model = load_model(domain, common, finite);
  Job job{model, {}};
  for (const std::string& policy : policies) {
    if (search::needs_finite_observations(policy))  // these need finite actions, too
      require_for(domain, *model, Capability::kFiniteActions, Spec::parse(policy).name);
    job.policies.push_back(load_policy(policy, *model, how, common));
    if (job.model == model) job.model = played_on(model, policy, how);
  }
  if (job.model != model)
    for (size_t p = 0; p < policies.size(); ++p)
      if (played_on(model, policies[p], how) == model)
        job.policies[p] =
            classifying(std::move(job.policies[p]), dynamic_cast<const Classified&>(*model));
  if (is_plugin_path(domain)) job.model = audited(std::move(job.model));
  return job;
}

}  // namespace penumbra
