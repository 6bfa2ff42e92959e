// A finite set of observations made from vectors: the leaves of a tree that depends on the action
// (grow_trees.h). Observation o is leaf o of that tree; trees with fewer leaves never show the last
// ones. Leaves are boxes, and the likelihood of one is exact.
#pragma once

#include "penumbra/model/classified.h"
#include "penumbra/model/grow_trees.h"

namespace penumbra {

class TreeObservations final : public Classified {
 public:
  TreeObservations(std::unique_ptr<Pomdp> inner, ActionTrees trees);

  int classify(const std::byte* action, const float* seen) const override {
    return trees_.of(action).leaf(seen);
  }
  void likelihood(const std::byte* seen, const std::byte* action, ConstRecords next,
                  std::span<double> out) const override;
  const ActionTrees& trees() const { return trees_; }

 private:
  ActionTrees trees_;
};

// Grows the trees too.
std::unique_ptr<Pomdp> tree_observations(std::unique_ptr<Pomdp> inner, const TreeOptions& options);

}  // namespace penumbra
