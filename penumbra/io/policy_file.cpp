#include "penumbra/io/policy_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "penumbra/base/error.h"
#include "penumbra/io/replace_file.h"
#include "penumbra/model/action_stock.h"
#include "penumbra/model/cluster_observations.h"
#include "penumbra/model/fingerprint.h"
#include "penumbra/model/tree_observations.h"
#include "penumbra/nn/value_bank.h"
#include "penumbra/policy/playable.h"

namespace penumbra {
namespace {

void check_features(const nn::ValueBank& networks, const Pomdp& model) {
  require(model, Capability::kFeatures, "a controller with networks");
  const FeatureLayout has = model.features(), needs = networks.layout();
  if (has != needs)
    throw Error(fmt::format(
        "its networks read {} categories, {} bits and {} numbers of a state, {} wide in all; {} "
        "gives {}, {} and {}, {} wide",
        needs.categories.size(), needs.num_bits, needs.num_dense, needs.width(), model.facts().name,
        has.categories.size(), has.num_bits, has.num_dense, has.width()));
}

}  // namespace

const Fsc& PolicyFile::controller() const {
  static const Fsc kNone;
  if (const auto* fnc = policy_as<Fnc>(policy)) return fnc->fsc;
  const auto* beside = policy_as<VectorPolicy>(policy);
  return beside ? beside->controller : kNone;
}

const AlphaVectors& PolicyFile::vectors() const {
  static const AlphaVectors kNone;
  const auto* held = policy_as<VectorPolicy>(policy);
  return held ? held->vectors : kNone;
}

Facts facts_of(const PolicyFile& p) {
  Facts facts;
  facts.name = p.domain;
  facts.num_actions = p.num_actions;
  facts.num_observations = p.num_observations;
  facts.action_names = p.action_names;
  facts.observation_names = p.observation_names;
  return facts;
}

void name_actions(const Fsc& controller, PolicyFile& p) {
  if (controller.action_width == 0) return;
  p.num_actions = controller.num_real_actions();
  p.action_names.clear();
  for (int a = 0; a < p.num_actions; ++a)
    p.action_names.push_back(action_text(controller.real_action(a)));
}

PolicyFile describe_policy(const Pomdp& model, PolicyData policy) {
  PolicyFile p;
  p.domain = model.facts().name;
  p.fingerprint = fingerprint(model);
  p.action_names = model.facts().action_names;
  p.observation_names = model.facts().observation_names;
  p.num_actions = model.facts().num_actions;
  p.num_observations = model.facts().num_observations;
  if (const auto* clustered = dynamic_cast<const ClusterObservations*>(&model)) {
    p.seen_dimension = clustered->dimension();
    p.seen_centres = clustered->centres();
    p.seen_units = clustered->units();
  }
  if (const auto* grown = dynamic_cast<const TreeObservations*>(&model)) {
    p.tree_dimension = grown->dimension();
    p.seen_trees = grown->trees();
  }
  p.policy = std::move(policy);
  if (const auto* fnc = policy_as<Fnc>(p.policy); fnc && fnc->networks)
    p.policy = std::make_shared<const Fnc>(without_spare_networks(*fnc));
  name_actions(p.controller(), p);
  if (const auto* like = policy_as<LikelihoodController>(p.policy); like && has_real_actions(*like))
    p.num_actions = like->num_nodes();
  return p;
}

PolicyFile describe_policy(const Pomdp& model, Fsc controller) {
  return describe_policy(model, std::make_shared<const Fnc>(Fnc{std::move(controller)}));
}

std::unique_ptr<Policy> playable(const PolicyFile& policy, const Pomdp& model) {
  return playable(policy.policy, model);
}

void write_policy_file(const std::string& path, const PolicyFile& policy) {
  replace_file(path, encode_policy(policy));
}

PolicyFile read_policy_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw Error("there is no policy file '" + path + "'");
  if (std::filesystem::is_directory(path, error)) throw Error(path + " is a folder, not a policy");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  const std::string content((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  return decode_policy(std::as_bytes(std::span(content)), path);
}

void check_policy_fits(const PolicyFile& policy, const Pomdp& model, const std::string& path) {
  if (!same_fingerprint(policy.fingerprint, fingerprint(model)))
    throw Error(fmt::format("{} was made for {}, which is not the same problem as {}", path,
                            policy.domain, model.facts().name));
  if (policy.controller().num_nodes() > 0) check_fsc(policy.controller(), model.facts());
  if (const auto* fnc = policy_as<Fnc>(policy.policy); fnc && fnc->networks) {
    try {
      check_features(*fnc->networks, model);
    } catch (const Error& error) {
      throw Error(path + ": " + error.what());
    }
  }
  if (const auto* actor = policy_as<RecurrentActor>(policy.policy))
    check_recurrent(*actor, model.facts());
  if (const auto* like = policy_as<LikelihoodController>(policy.policy))
    check_likelihood_controller(*like, model);
}

}  // namespace penumbra
