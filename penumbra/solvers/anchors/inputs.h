// What anchors see of a state: a code of everything discrete, in which neighbours must agree, and
// continuous inputs on a common scale, in which they are near or far. Discrete are categories, bits
// and dense features that take a handful of values; a fine category that only repeats a dense
// feature (bins of a position) is left out.
#pragma once

#include <span>
#include <vector>

#include "penumbra/model/pomdp.h"

namespace penumbra::anchors {

// Inputs of many states.
struct InputRows {
  std::vector<uint64_t> code;  // a hash
  std::vector<float> x;        // row-major
};

class Inputs {
 public:
  // Learns from sampled states what is discrete, and the scale: every input has deviation 1.
  Inputs(const Pomdp& model, ConstRecords sample);

  int width() const { return static_cast<int>(source_.size()); }
  InputRows encode(ConstRecords states) const;
  // Multiplies the scale of each input: how much it matters.
  void stretch(std::span<const float> factor);

 private:
  void find_discrete(const FeatureBatch& sample);
  void find_repeated_categories(const FeatureBatch& sample);
  void set_scale(const FeatureBatch& sample);

  const Pomdp* model_;
  FeatureLayout layout_;
  std::vector<int> source_;           // per input: the dense feature
  std::vector<float> shift_, scale_;  // per input
  std::vector<char> discrete_;        // per dense feature
  std::vector<char> gates_;           // per category: it counts
};

}  // namespace penumbra::anchors
