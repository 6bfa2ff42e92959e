// A policy of any form as something that acts.
#pragma once

#include <memory>

#include "penumbra/policy/belief_memory.h"
#include "penumbra/policy/form.h"
#include "penumbra/policy/policy.h"

namespace penumbra {

// A recurrent network, vectors with an exact belief, or a controller by its node alone. Vectors
// that know their table play on it, others on the table of the model, which outlives the policy.
// `most_remembered`: bytes of beliefs that vectors may keep. Throws Error if the policy does not
// fit the model.
std::unique_ptr<Policy> playable(const PolicyData& policy, const Pomdp& model,
                                 size_t most_remembered = kMostRemembered);

}  // namespace penumbra
