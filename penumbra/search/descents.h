// The way of each descent of a wave through the tree, until what it found is taken back.
#pragma once

#include <vector>

#include "penumbra/search/leaf_batch.h"
#include "penumbra/search/uct.h"

namespace penumbra::search {

class Descents {
 public:
  Descents(int wave, int max_depth)
      : max_depth_(max_depth),
        length_(wave),
        belief_(wave),
        first_leaf_(wave),
        num_leaves_(wave),
        edges_(size_t(wave) * max_depth),
        rewards_(edges_.size()) {}

  void begin(size_t count) {
    count_ = count;
    std::fill_n(length_.begin(), count, 0);
    std::fill_n(belief_.begin(), count, -1);
    std::fill_n(num_leaves_.begin(), count, 0);
  }
  int length(size_t i) const { return length_[i]; }
  void add(size_t i, int edge, float reward) {
    const size_t at = i * max_depth_ + length_[i]++;
    edges_[at] = edge;
    rewards_[at] = reward;
  }
  // It ends at a belief that is worth the mean of these of the batch; of none: nothing.
  void end_at(size_t i, int belief, int first_leaf, int num_leaves) {
    belief_[i] = belief;
    first_leaf_[i] = first_leaf;
    num_leaves_[i] = num_leaves;
  }
  template <class Tree>
  void back_up_all(Tree& tree, const LeafBatch& leaves, int power, double discount,
                   Exploration& exploration) const {
    for (size_t i = 0; i < count_; ++i) {
      double value = 0;
      for (int k = 0; k < num_leaves_[i]; ++k) value += leaves.value(first_leaf_[i] + k);
      if (num_leaves_[i] > 1) value /= num_leaves_[i];
      exploration.add(result(i, value, discount));
      const size_t row = i * max_depth_, n = length_[i];
      back_up(tree, {edges_.data() + row, n}, {rewards_.data() + row, n}, belief_[i], value, power,
              discount);
    }
  }

 private:
  double result(size_t i, double value, double discount) const {
    for (size_t at = i * max_depth_ + length_[i]; at-- > i * max_depth_;)
      value = rewards_[at] + discount * value;
    return value;
  }

  int max_depth_;
  size_t count_ = 0;
  std::vector<int> length_, belief_, first_leaf_, num_leaves_;
  std::vector<int> edges_;  // row-major [descent][depth]
  std::vector<float> rewards_;
};

}  // namespace penumbra::search
