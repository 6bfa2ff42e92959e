// A policy of groups of observations (model/classified.h), for who sees them as they are.
#pragma once

#include "penumbra/model/classified.h"
#include "penumbra/policy/policy.h"

namespace penumbra {

// The model outlives it.
std::unique_ptr<Policy> classifying(std::shared_ptr<const Policy> policy, const Classified& model);

}  // namespace penumbra
