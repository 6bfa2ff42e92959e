#include "penumbra/model/observation_tree.h"

#include <algorithm>
#include <limits>

#include "penumbra/base/error.h"

namespace penumbra {

ObservationTree::ObservationTree(std::vector<Split> splits)
    : splits_(std::move(splits)), boxes_(splits_.size() + 1) {
  if (!splits_.empty()) fill_boxes(0, {});
}

void ObservationTree::fill_boxes(int at, const std::vector<Side>& box) {
  if (at < 0) {
    PENUMBRA_CHECK(~at < num_leaves(), "a tree of observations names a leaf that it lacks");
    boxes_[~at] = box;
    return;
  }
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const Split& s = splits_[at];
  std::vector<Side> below = box;
  auto side = std::find_if(below.begin(), below.end(),
                           [&](const Side& x) { return x.coordinate == s.coordinate; });
  if (side == below.end()) side = below.insert(below.end(), {s.coordinate, -kInfinity, kInfinity});
  std::vector<Side> above = below;
  above[side - below.begin()].low = s.bound;
  side->high = s.bound;
  fill_boxes(s.below, below);
  fill_boxes(s.above, above);
}

const ObservationTree& ActionTrees::of(const std::byte* action) const {
  if (trees.size() == 1) return trees[0];
  if (units.empty()) {
    int number;
    std::memcpy(&number, action, sizeof number);
    return trees[tree_of[number]];
  }
  const auto* values = reinterpret_cast<const float*>(action);
  size_t nearest = 0;
  double best = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < tree_of.size(); ++i) {
    double distance = 0;
    for (size_t d = 0; d < units.size(); ++d) {
      const double off = (double(values[d]) - sampled[i * units.size() + d]) / units[d];
      distance += off * off;
    }
    if (distance < best) {
      best = distance;
      nearest = i;
    }
  }
  return trees[tree_of[nearest]];
}

int ActionTrees::most_leaves() const {
  int most = 0;
  for (const ObservationTree& tree : trees) most = std::max(most, tree.num_leaves());
  return most;
}

}  // namespace penumbra
