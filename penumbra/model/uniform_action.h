// An action drawn uniformly from those of a model: a number, or a point of the box.
#pragma once

#include <cstring>

#include "penumbra/base/rng.h"
#include "penumbra/model/facts.h"

namespace penumbra {

inline void uniform_action(const Facts& facts, Rng& rng, std::byte* out) {
  if (facts.num_actions > 0) {
    const auto action = static_cast<int>(rng.below(static_cast<uint32_t>(facts.num_actions)));
    std::memcpy(out, &action, sizeof action);
    return;
  }
  for (size_t d = 0; d < facts.action_low.size(); ++d) {
    const auto value = static_cast<float>(rng.uniform(facts.action_low[d], facts.action_high[d]));
    std::memcpy(out + d * sizeof value, &value, sizeof value);
  }
}

}  // namespace penumbra
