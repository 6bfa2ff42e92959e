// For planners whose trees branch over every action and every observation.
#pragma once

#include <string>

#include "penumbra/model/pomdp.h"

namespace penumbra::search {

// Throws Error where actions or observations are continuous, and says what to do.
void require_finite(const Pomdp& model, const std::string& who);

}  // namespace penumbra::search
