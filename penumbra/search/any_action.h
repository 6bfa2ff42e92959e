// Action records for those who have no preference.
#pragma once

#include "penumbra/base/rng.h"
#include "penumbra/model/facts.h"

namespace penumbra::search {

// Action 0, or the middle of the box.
void plain_action(const Facts& facts, std::byte* action);
// Uniform over the actions.
void random_action(const Facts& facts, Rng& rng, std::byte* action);

}  // namespace penumbra::search
