// Paths of point-based value iteration that follow the plan found so far: down with the actions of
// the best vectors and observations by their chances, now and then some steps with the action of
// the highest upper bound instead; then both bounds are backed up, from the end. Where upper bounds
// stay loose this finds good plans long before paths that only close gaps do.
#pragma once

#include "penumbra/base/rng.h"
#include "penumbra/solvers/points/run.h"

namespace penumbra::points {

class Walks final : public Rounds {
 public:
  Walks(PointBounds& bounds, RngKey key)
      : bounds_(bounds), key_(key), pruned_(bounds.vectors().num_listed()) {}
  bool run(const Stop& stop) override;
  void save(Saver& saver) override { archive(saver); }
  void load(Loader& loader) override { archive(loader); }

 private:
  template <class Archive>
  void archive(Archive& a) {
    a(walk_, path_, going_up_, node_, burst_, pruned_);
  }
  bool descend(const Stop& stop);

  PointBounds& bounds_;
  RngKey key_;
  uint64_t walk_ = 0;
  std::vector<int> path_;  // going up: what is still to be backed up
  bool going_up_ = false;
  int node_ = PointBounds::kRoot;  // where the path goes on
  int burst_ = 0;                  // steps of exploration that are left
  int pruned_;                     // vectors that the last pruning left
};

}  // namespace penumbra::points
