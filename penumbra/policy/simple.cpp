#include "penumbra/policy/simple.h"

#include <fmt/format.h>

#include "penumbra/base/error.h"
#include "penumbra/model/uniform_action.h"

namespace penumbra {

BlindPolicy::BlindPolicy(const Pomdp& model, int action) : action_(action) {
  require(model, Capability::kFiniteActions, "the blind policy");
  if (action < 0 || action >= model.facts().num_actions)
    throw Error(fmt::format("{} has no action {}; actions go from 0 to {}", model.facts().name,
                            action, model.facts().num_actions - 1));
  name_ = model.facts().action_name(action);
}

void BlindPolicy::act(Records, Streams, Records action) const {
  for (size_t i = 0; i < action.count; ++i) action.as<int>(i) = action_;
}

void RandomPolicy::act(Records, Streams streams, Records action) const {
  for (size_t i = 0; i < action.count; ++i) {
    Rng rng = streams.rng(i);
    uniform_action(facts_, rng, action.at(i));
  }
}

}  // namespace penumbra
