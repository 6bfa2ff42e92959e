// A belief as weighted samples of the state.
#pragma once

#include <span>
#include <vector>

#include "penumbra/base/rng.h"
#include "penumbra/model/records.h"

namespace penumbra {

struct Particles {
  RecordBuffer states;
  std::vector<double> weights;  // sum to 1; empty means equal

  Particles() = default;
  Particles(size_t state_size, size_t count) : states(state_size, count) {}

  size_t count() const { return states.count(); }
  double weight(size_t i) const {
    return weights.empty() ? 1.0 / static_cast<double>(count()) : weights[i];
  }
  // 1 / sum of squared weights: how many equal particles these are worth.
  double effective_size() const;
};

// `count` equally weighted draws with one random offset (systematic resampling): a particle of
// weight w comes floor(count w) or ceil(count w) times, in the order of the input.
Particles resample(const Particles& belief, size_t count, RngKey key);
// The same of states that are elsewhere; no weights: equal ones.
RecordBuffer resample(ConstRecords states, std::span<const double> weights, size_t count,
                      RngKey key);

}  // namespace penumbra
