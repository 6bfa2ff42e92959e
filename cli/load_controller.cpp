#include "cli/load_controller.h"

#include <fmt/format.h>

#include "cli/load.h"
#include "penumbra/base/error.h"
#include "penumbra/io/any_policy.h"
#include "penumbra/policy/alpha_controller.h"

namespace penumbra::cli {
namespace {

struct Source {
  const std::string &policy, &model;
  uint64_t max_nodes;
  const CommonOptions& common;
};

// What the vectors do, as a controller. `spare`, if it has nodes, is taken where that cannot be
// exact.
LoadedController unroll(const Source& o, const AlphaPolicy& vectors, PolicyFile policy,
                        const Fsc& spare) {
  bool exact = false;
  policy.fsc =
      alpha_controller(vectors, policy.num_observations, static_cast<int>(o.max_nodes), &exact);
  if (exact) return {std::move(policy), "its alpha-vectors, followed to every belief"};
  const std::string most = fmt::format("they reach more than {} beliefs", o.max_nodes);
  if (spare.num_nodes() == 0)
    return {std::move(policy), fmt::format("its alpha-vectors, not exactly: {}", most)};
  policy.fsc = spare;
  return {std::move(policy), fmt::format("beside its alpha-vectors: {}", most)};
}

// A policy file of another program says little about its model: it must be named.
LoadedController load_foreign(const Source& o) {
  if (o.model.empty())
    throw Error(o.policy + " does not say which model it is for: give it with --model");
  const std::unique_ptr<Pomdp> model = load_model(o.model, o.common, true);
  const std::unique_ptr<Policy> policy = load_policy_file(o.policy, *model);
  if (const auto* fsc = dynamic_cast<const FscPolicy*>(policy.get()))
    return {describe_policy(*model, fsc->fsc()), "the file"};
  const auto* vectors = dynamic_cast<const AlphaPolicy*>(policy.get());
  PENUMBRA_CHECK(vectors != nullptr, "a policy is a controller or alpha-vectors");
  return unroll(o, *vectors, describe_policy(*model, Fsc{}), {});
}

LoadedController load(const Source& o) {
  if (!is_own_policy(o.policy)) return load_foreign(o);
  PolicyFile file = read_policy_file(o.policy);
  if (file.likelihood.num_nodes() > 0)
    throw Error(o.policy +
                " chooses its next node by the likelihood of a continuous observation, which needs "
                "the model itself; solve with clusters (without observations=continuous)");
  const bool has_fsc = file.fsc.num_nodes() > 0, has_vectors = !file.vectors.vectors.empty();
  if ((o.model.empty() && !has_vectors) || file.recurrent) return {std::move(file), "the file"};
  std::unique_ptr<Pomdp> model;
  try {
    model = load_model(o.model.empty() ? file.domain : o.model, o.common, true);
    check_policy_fits(file, *model, o.policy);
  } catch (const Error& error) {
    if (!o.model.empty()) throw;
    if (has_fsc) return {std::move(file), "beside its alpha-vectors: --model would show them"};
    throw Error(
        fmt::format("{} holds alpha-vectors, and the model that they need cannot be loaded by its "
                    "name; give it with --model ({})",
                    o.policy, error.what()));
  }
  if (!has_vectors) return {std::move(file), "the file"};
  const std::unique_ptr<Policy> policy = playable(file, *model);
  const Fsc spare = file.fsc;
  return unroll(o, dynamic_cast<const AlphaPolicy&>(*policy), std::move(file), spare);
}

}  // namespace

LoadedController load_controller(const std::string& path, const std::string& model,
                                 uint64_t max_nodes, const CommonOptions& common) {
  LoadedController loaded = load({path, model, max_nodes, common});
  if (loaded.policy.fsc.num_nodes() == 0 && !loaded.policy.recurrent)
    throw Error(path + " holds no controller");
  return loaded;
}

}  // namespace penumbra::cli
