#include "penumbra/search/any_action.h"

#include <algorithm>
#include <cstring>

namespace penumbra::search {

void plain_action(const Facts& facts, std::byte* action) {
  if (facts.num_actions > 0) {
    const int32_t first = 0;
    std::memcpy(action, &first, sizeof first);
    return;
  }
  for (size_t k = 0; k < facts.action_low.size(); ++k) {
    const float middle = 0.5f * (facts.action_low[k] + facts.action_high[k]);
    std::memcpy(action + k * sizeof middle, &middle, sizeof middle);
  }
}

void random_action(const Facts& facts, Rng& rng, std::byte* action) {
  if (facts.num_actions > 0) {
    const auto a = static_cast<int32_t>(rng.below(facts.num_actions));
    std::memcpy(action, &a, sizeof a);
    return;
  }
  for (size_t k = 0; k < facts.action_low.size(); ++k) {
    const float low = facts.action_low[k], high = facts.action_high[k];
    const float x = std::min(high, low + (high - low) * rng.uniform_float());
    std::memcpy(action + k * sizeof x, &x, sizeof x);
  }
}

}  // namespace penumbra::search
