// Random states and targets for the tests of the networks.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "penumbra/base/features.h"
#include "penumbra/base/rng.h"

namespace penumbra::nn {

inline FeatureBatch random_states(const FeatureLayout& layout, int rows, uint64_t seed) {
  FeatureBatch batch(layout, rows);
  for (int r = 0; r < rows; ++r) {
    Rng rng(RngKey::from_seed(seed), r);
    FeatureRow row = batch.row(r);
    for (size_t b = 0; b < layout.categories.size(); ++b) {
      row.category[b] = int32_t(rng.below(layout.categories[b]));
    }
    for (int b = 0; b < layout.num_bits; ++b) row.set_bit(b, rng.bernoulli(0.5));
    for (float& x : row.dense) x = float(rng.normal());
  }
  return batch;
}

inline std::vector<float> random_floats(size_t count, uint64_t seed, double deviation = 1) {
  Rng rng(RngKey::from_seed(seed), 0);
  std::vector<float> values(count);
  for (float& x : values) x = float(rng.normal(0, deviation));
  return values;
}

// A smooth function with interactions, so that a constant or a linear fit is not enough.
inline std::vector<float> smooth_targets(const FeatureBatch& states) {
  std::vector<float> x(states.layout().width()), targets(states.rows());
  for (int r = 0; r < states.rows(); ++r) {
    states.expand(r, x);
    double a = 0, b = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      a += x[i] * std::sin(1.0 + 0.37 * double(i));
      b += x[i] * std::cos(0.5 + 0.71 * double(i));
    }
    targets[r] = float(5 + 3 * std::sin(a) + 2 * std::abs(b));
  }
  return targets;
}

inline FeatureLayout layout_of(std::vector<int> categories, int bits, int dense) {
  FeatureLayout layout;
  layout.categories = std::move(categories);
  layout.num_bits = bits;
  layout.num_dense = dense;
  return layout;
}

inline const FeatureLayout kMixed = layout_of({7, 5}, 11, 3);

}  // namespace penumbra::nn
