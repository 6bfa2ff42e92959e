// A state as gated functions see it: a category, which is one combination of the categorical
// features (a robot's cell), and the features that vary within it, u(s) = (1, bits - 1/2, dense).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "penumbra/base/features.h"

namespace penumbra::nn {

class Gate {
 public:
  explicit Gate(FeatureLayout layout);

  const FeatureLayout& layout() const { return layout_; }
  int width() const { return 1 + layout_.num_bits + layout_.num_dense; }  // of u
  // Combinations, met or not.
  int64_t num_categories() const { return num_categories_; }
  int64_t category(const FeatureBatch& batch, int row) const;
  // The categorical features of a category.
  std::vector<int> blocks(int64_t category) const;
  void inputs(const FeatureBatch& batch, int row, std::span<float> u) const;

 private:
  FeatureLayout layout_;
  int64_t num_categories_ = 1;
};

}  // namespace penumbra::nn
