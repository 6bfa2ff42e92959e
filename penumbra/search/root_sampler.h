// Draws states of the belief that a plan starts from.
#pragma once

#include <algorithm>
#include <vector>

#include "penumbra/base/error.h"
#include "penumbra/search/search.h"

namespace penumbra::search {

class RootSampler {
 public:
  void begin(const Root& root) {
    states_ = root.states;
    cumulative_.assign(root.weights.begin(), root.weights.end());
    for (size_t i = 1; i < cumulative_.size(); ++i) cumulative_[i] += cumulative_[i - 1];
    PENUMBRA_CHECK(states_.count > 0, "a belief without states");
    // Weights that say nothing count as equal.
    if (!cumulative_.empty() && !(cumulative_.back() > 0)) cumulative_.clear();
  }
  const std::byte* draw(Rng& rng) const { return at(rng.uniform()); }
  // `count` draws, each from its own stretch of the distribution.
  void draw_evenly(size_t count, Rng rng, RecordBuffer& out) const {
    out.resize(count);
    for (size_t i = 0; i < count; ++i)
      out.copy_from(i, at((double(i) + rng.uniform()) / double(count)));
  }

 private:
  const std::byte* at(double share) const {
    size_t i;
    if (cumulative_.empty()) {
      i = static_cast<size_t>(share * double(states_.count));
    } else {
      const double sum = share * cumulative_.back();
      i = std::upper_bound(cumulative_.begin(), cumulative_.end(), sum) - cumulative_.begin();
    }
    return states_.at(std::min(i, states_.count - 1));
  }

  ConstRecords states_;
  std::vector<double> cumulative_;  // empty: equal
};

}  // namespace penumbra::search
