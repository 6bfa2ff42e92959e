// What anchors see of a state: a code of everything discrete, in which neighbours must agree, and
// continuous inputs on a common scale, in which they are near or far. Discrete are categories and
// bits, and columns that take a handful of values; a fine category that only repeats an input (bins
// of a position) is left out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "penumbra/base/features.h"
#include "penumbra/nn/bytes.h"

namespace penumbra::nn {

// Inputs of many states.
struct InputRows {
  std::vector<uint64_t> code;  // a hash
  std::vector<float> x;        // row-major
};

class InputKeys {
 public:
  // Learns from a sample what is discrete, and the scale: every input has deviation 1. `x`: what
  // inputs are chosen from, row-major, so many columns. `find_discrete`: columns of few values are.
  InputKeys(const FeatureBatch& sample, std::span<const float> x, size_t columns,
            bool find_discrete);

  const FeatureLayout& layout() const { return layout_; }
  size_t columns() const { return columns_; }
  int width() const { return static_cast<int>(source_.size()); }
  InputRows encode(const FeatureBatch& features, std::span<const float> x) const;
  // Leaves out inputs that matter little; one number per input, the largest is 1.
  void keep_relevant(std::span<const float> relevance);

  void write(ByteWriter& out) const;
  static InputKeys read(ByteReader& in);  // throws Error

 private:
  InputKeys() = default;
  void find_discrete(std::span<const float> x, size_t rows);
  void find_repeated_categories(const FeatureBatch& sample, std::span<const float> x);
  void set_scale(std::span<const float> x, size_t rows);

  FeatureLayout layout_;
  size_t columns_ = 0;
  std::vector<int> source_;           // per input: the column
  std::vector<float> shift_, scale_;  // per input
  std::vector<char> discrete_;        // per column
  std::vector<char> gates_;           // per category: it counts
};

}  // namespace penumbra::nn
