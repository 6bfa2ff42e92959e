// A binary tree of bounds on single coordinates of an observation vector. Its leaves are boxes, and
// a finite set of observations (tree_observations.h); grow_trees.h makes them.
#pragma once

#include <span>
#include <vector>

#include "penumbra/model/records.h"

namespace penumbra {

class ObservationTree {
 public:
  // Values below `bound` go one way, all others the other: to a split, or to leaf ~x where x is
  // negative.
  struct Split {
    int coordinate;
    float bound;
    int below, above;
    bool operator==(const Split&) const = default;
  };
  // A coordinate that a leaf bounds: low <= value < high; infinite where it is open.
  struct Side {
    int coordinate;
    float low, high;
  };

  // Split 0 is the root. None: a single leaf.
  explicit ObservationTree(std::vector<Split> splits = {});

  int num_leaves() const { return static_cast<int>(boxes_.size()); }
  int leaf(const float* seen) const {
    int at = splits_.empty() ? ~0 : 0;
    while (at >= 0) {
      const Split& s = splits_[at];
      at = seen[s.coordinate] < s.bound ? s.below : s.above;
    }
    return ~at;
  }
  std::span<const Side> box(int leaf) const { return boxes_[leaf]; }
  const std::vector<Split>& splits() const { return splits_; }

 private:
  void fill_boxes(int at, const std::vector<Side>& box);

  std::vector<Split> splits_;
  std::vector<std::vector<Side>> boxes_;  // per leaf
};

// A tree for every action; actions that are answered alike share one.
struct ActionTrees {
  std::vector<ObservationTree> trees;
  std::vector<int> tree_of;  // per action of a finite set, or per sampled action of a box
  // Of continuous actions: samples, and the sides of their box. Such an action has the tree of the
  // nearest sample.
  std::vector<float> sampled{}, units{};

  const ObservationTree& of(const std::byte* action) const;
  int most_leaves() const;
};

}  // namespace penumbra
