// Draws states of the belief that a plan starts from.
#pragma once

#include <algorithm>
#include <vector>

#include "penumbra/search/search.h"

namespace penumbra::search {

class RootSampler {
 public:
  void begin(const Root& root) {
    states_ = root.states;
    cumulative_.assign(root.weights.begin(), root.weights.end());
    for (size_t i = 1; i < cumulative_.size(); ++i) cumulative_[i] += cumulative_[i - 1];
    // Weights that say nothing count as equal.
    if (!cumulative_.empty() && !(cumulative_.back() > 0)) cumulative_.clear();
  }
  const std::byte* draw(Rng& rng) const {
    if (cumulative_.empty()) return states_.at(rng.below(static_cast<uint32_t>(states_.count)));
    const double at = rng.uniform() * cumulative_.back();
    const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end(), at);
    return states_.at(std::min<size_t>(found - cumulative_.begin(), states_.count - 1));
  }

 private:
  ConstRecords states_;
  std::vector<double> cumulative_;  // empty: equal
};

}  // namespace penumbra::search
