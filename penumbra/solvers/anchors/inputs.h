// What anchors see of a state: a code of everything discrete, in which neighbours must agree, and
// continuous inputs on a common scale, in which they are near or far: the coordinates where the
// model has them, otherwise its dense features. Discrete are categories and bits, and dense
// features that take a handful of values; a fine category that only repeats an input (bins of a
// position) is left out.
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
  bool are_coordinates() const { return coordinates_; }
  // Leaves out inputs that matter little; one number per input, the largest is 1 (relevance.h).
  void keep_relevant(std::span<const float> relevance);

 private:
  // Row-major: the coordinates, or the dense features where there are none.
  std::vector<float> continuous(ConstRecords states, const FeatureBatch& features) const;
  void find_discrete(const std::vector<float>& x, size_t rows);
  void find_repeated_categories(const FeatureBatch& sample, const std::vector<float>& x);
  void set_scale(const std::vector<float>& x, size_t rows);

  const Pomdp* model_;
  FeatureLayout layout_;
  bool coordinates_;
  size_t columns_;                    // of what inputs are chosen from
  std::vector<int> source_;           // per input: the column
  std::vector<float> shift_, scale_;  // per input
  std::vector<char> discrete_;        // per column
  std::vector<char> gates_;           // per category: it counts
};

}  // namespace penumbra::anchors
