// The particles of every belief of a tree, the same number each, in one memory.
#pragma once

#include <span>
#include <vector>

#include "penumbra/base/rng.h"
#include "penumbra/model/records.h"

namespace penumbra::search {

class TreeBeliefs {
 public:
  TreeBeliefs(size_t state_size, int particles)
      : particles_(particles), states_(state_size), moved_(state_size, particles) {}

  void clear() {
    states_.clear();
    weights_.clear();
  }
  // Appends a belief. Weights need not sum to 1; none is positive: all are equal. Where few
  // particles carry most of the weight they are drawn anew.
  void add(ConstRecords states, std::span<const double> weights, Rng rng);
  ConstRecords states(int b) const { return states_.sub(size_t(b) * particles_, particles_); }
  std::span<const double> weights(int b) const {
    return {weights_.data() + size_t(b) * particles_, static_cast<size_t>(particles_)};
  }
  // A particle by weight: the one at this share, in [0, 1), of all weight.
  int at_share(int b, double share) const;

 private:
  int particles_;
  RecordBuffer states_;
  std::vector<double> weights_;  // sum to 1 in each belief
  RecordBuffer moved_;
};

}  // namespace penumbra::search
