#include "penumbra/policy/playable.h"

#include "penumbra/base/error.h"
#include "penumbra/model/seen_table.h"
#include "penumbra/policy/alpha_vectors.h"
#include "penumbra/policy/fnc.h"
#include "penumbra/policy/likelihood_controller.h"
#include "penumbra/policy/recurrent.h"

namespace penumbra {

std::unique_ptr<Policy> playable(const PolicyData& policy, const Pomdp& model,
                                 size_t most_remembered) {
  if (const auto* fnc = policy_as<Fnc>(policy))
    return std::make_unique<FscPolicy>(fnc->fsc, model.facts());
  if (const auto* like = policy_as<LikelihoodController>(policy))
    return std::make_unique<LikelihoodPolicy>(model, *like);
  if (policy_as<RecurrentActor>(policy))
    return std::make_unique<RecurrentPolicy>(
        std::get<std::shared_ptr<const RecurrentActor>>(policy), model);
  const auto* vectors = policy_as<VectorPolicy>(policy);
  PENUMBRA_CHECK(vectors != nullptr, "there is a policy to play");
  if (vectors->model)
    return std::make_unique<AlphaPolicy>(vectors->vectors, vectors->model, most_remembered);
  require(model, Capability::kTable, "a policy of alpha-vectors");
  return std::make_unique<AlphaPolicy>(vectors->vectors, mixed_model(model), most_remembered);
}

}  // namespace penumbra
