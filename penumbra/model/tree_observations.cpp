#include "penumbra/model/tree_observations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace penumbra {
namespace {

// What a leaf bounds, such as "2>=3.5,2<7,0<1"; the coordinate comes first.
std::string name_of(std::span<const ObservationTree::Side> box) {
  std::string name;
  for (const ObservationTree::Side& side : box) {
    if (std::isfinite(side.low)) name += fmt::format("/{}>={:.4g}", side.coordinate, side.low);
    if (std::isfinite(side.high)) name += fmt::format("/{}<{:.4g}", side.coordinate, side.high);
  }
  return name.empty() ? "any" : name.substr(1);
}

}  // namespace

TreeObservations::TreeObservations(std::unique_ptr<Pomdp> inner_model, ActionTrees trees)
    : Classified(std::move(inner_model)), trees_(std::move(trees)) {
  std::vector<std::string> names;
  if (trees_.trees.size() == 1)  // otherwise a number means different things
    for (int leaf = 0; leaf < trees_.most_leaves(); ++leaf)
      names.push_back(name_of(trees_.trees[0].box(leaf)));
  set_classes(trees_.most_leaves(), std::move(names), inner().has(Capability::kCumulative));
}

void TreeObservations::likelihood(const std::byte* seen, const std::byte* action, ConstRecords next,
                                  std::span<double> out) const {
  if (!has(Capability::kLikelihood)) lacks(Capability::kLikelihood);
  int leaf;
  std::memcpy(&leaf, seen, sizeof leaf);
  const ObservationTree& tree = trees_.of(action);
  std::fill(out.begin(), out.end(), leaf < tree.num_leaves() ? 1.0 : 0.0);
  if (leaf >= tree.num_leaves()) return;
  std::vector<double> mass(out.size()), below(out.size());
  for (const ObservationTree::Side& side : tree.box(leaf)) {
    std::fill(mass.begin(), mass.end(), 1.0);
    if (std::isfinite(side.high))
      inner().cumulative(side.high, side.coordinate, action, next, mass);
    if (std::isfinite(side.low)) {
      inner().cumulative(side.low, side.coordinate, action, next, below);
      for (size_t i = 0; i < mass.size(); ++i) mass[i] = std::max(0.0, mass[i] - below[i]);
    }
    for (size_t i = 0; i < mass.size(); ++i) out[i] *= mass[i];
  }
}

std::unique_ptr<Pomdp> tree_observations(std::unique_ptr<Pomdp> inner, const TreeOptions& options) {
  ActionTrees trees = grow_trees(*inner, options);
  return std::make_unique<TreeObservations>(std::move(inner), std::move(trees));
}

}  // namespace penumbra
