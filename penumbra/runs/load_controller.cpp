#include "penumbra/runs/load_controller.h"

#include <fmt/format.h>

#include "penumbra/base/error.h"
#include "penumbra/io/any_policy.h"
#include "penumbra/policy/alpha_controller.h"
#include "penumbra/runs/load.h"

namespace penumbra {
namespace {

struct Source {
  const std::string &policy, &model;
  uint64_t max_nodes;
  const CommonOptions& common;
};

// What the vectors do, as a controller in the place of the one beside them; that one is kept where
// the vectors cannot be followed exactly.
LoadedController unroll(const Source& o, PolicyFile file, const Pomdp& model) {
  const std::unique_ptr<Policy> player = playable(file, model);
  VectorPolicy vectors = *policy_as<VectorPolicy>(file.policy);
  bool exact = false;
  Fsc followed = alpha_controller(dynamic_cast<const AlphaPolicy&>(*player), file.num_observations,
                                  static_cast<int>(o.max_nodes), &exact);
  std::string source = "its alpha-vectors, followed to every belief";
  if (!exact) {
    const bool spare = vectors.controller.num_nodes() > 0;
    source = fmt::format("{}: they reach more than {} beliefs",
                         spare ? "beside its alpha-vectors" : "its alpha-vectors, not exactly",
                         o.max_nodes);
    if (spare) return {std::move(file), std::move(source)};
  }
  vectors.controller = std::move(followed);
  file.policy = std::make_shared<const VectorPolicy>(std::move(vectors));
  return {std::move(file), std::move(source)};
}

// A policy file of another program says little about its model: it must be named.
LoadedController load_foreign(const Source& o) {
  if (o.model.empty())
    throw Error(o.policy + " does not say which model it is for: give it with --model");
  const std::unique_ptr<Pomdp> model = load_model(o.model, o.common, true);
  PolicyFile file = describe_policy(*model, load_policy_data(o.policy, *model));
  if (policy_as<Fnc>(file.policy)) return {std::move(file), "the file"};
  return unroll(o, std::move(file), *model);
}

LoadedController load(const Source& o) {
  if (!is_own_policy(o.policy)) return load_foreign(o);
  PolicyFile file = read_policy_file(o.policy);
  const PolicyForm form = form_of(file.policy);
  if (form == PolicyForm::kLikelihood)
    throw Error(o.policy +
                " chooses its next node by the likelihood of a continuous observation, which needs "
                "the model itself; solve with clusters (without observations=continuous)");
  const bool has_vectors = form == PolicyForm::kVectors;
  if ((o.model.empty() && !has_vectors) || form == PolicyForm::kRecurrent)
    return {std::move(file), "the file"};
  std::unique_ptr<Pomdp> model;
  try {
    model = load_model(o.model.empty() ? file.domain : o.model, o.common, true);
    check_policy_fits(file, *model, o.policy);
  } catch (const Error& error) {
    if (!o.model.empty()) throw;
    if (file.controller().num_nodes() > 0)
      return {std::move(file), "beside its alpha-vectors: --model would show them"};
    throw Error(
        fmt::format("{} holds alpha-vectors, and the model that they need cannot be loaded by its "
                    "name; give it with --model ({})",
                    o.policy, error.what()));
  }
  if (!has_vectors) return {std::move(file), "the file"};
  return unroll(o, std::move(file), *model);
}

}  // namespace

LoadedController load_controller(const std::string& path, const std::string& model,
                                 uint64_t max_nodes, const CommonOptions& common) {
  LoadedController loaded = load({path, model, max_nodes, common});
  if (loaded.policy.controller().num_nodes() == 0 &&
      !policy_as<RecurrentActor>(loaded.policy.policy))
    throw Error(path + " holds no controller");
  return loaded;
}

}  // namespace penumbra
