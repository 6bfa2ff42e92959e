// A policy of any form as something that acts.
#pragma once

#include <memory>

#include "penumbra/policy/form.h"
#include "penumbra/policy/policy.h"

namespace penumbra {

// A recurrent network, vectors with an exact belief, or a controller by its node alone. Vectors
// that know their table play on it, others on the table of the model, which outlives the policy.
// Throws Error if the policy does not fit the model.
std::unique_ptr<Policy> playable(const PolicyData& policy, const Pomdp& model);

}  // namespace penumbra
