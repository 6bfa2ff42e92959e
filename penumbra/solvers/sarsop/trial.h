// The paths of SARSOP: down by the bounds, back up by backups.
#pragma once

#include "penumbra/solvers/points/run.h"
#include "penumbra/solvers/sarsop/predictor.h"
#include "penumbra/solvers/sarsop/sarsop.h"

namespace penumbra::sarsop {

// Samples a path from b0 and backs up both bounds along it; now and then drops useless vectors.
class Trial final : public points::Rounds {
 public:
  Trial(points::PointBounds& bounds, const SarsopOptions& options)
      : bounds_(bounds),
        options_(options),
        predictor_(bounds),
        pruned_(bounds.vectors().num_listed()) {}
  bool run(const points::Stop& stop) override;
  void save(Saver& saver) override { archive(saver); }
  void load(Loader& loader) override { archive(loader); }

 private:
  template <class Archive>
  void archive(Archive& a) {
    a(predictor_, phase_, path_, node_, low_target_, high_target_, allowed_, pruned_);
  }
  void begin();
  // Each returns false when `stop` came first.
  bool descend(const points::Stop& stop);
  bool ascend(const points::Stop& stop);

  struct Step {
    int action = -1;
    const points::Child* child = nullptr;
    double later_lower = 0, later_upper = 0;  // of the other children: sum of chance * bound
  };
  // Which way the path goes on; the excess is counted above `allowed` at the children.
  Step choose(int node, double allowed);

  points::PointBounds& bounds_;
  const SarsopOptions& options_;
  Predictor predictor_;
  enum class Phase : uint8_t { kBegin, kDown, kUp } phase_ = Phase::kBegin;
  std::vector<int> path_;   // going up: what is still to be backed up
  int node_ = 0;            // where the path goes on
  double low_target_ = 0;   // L: a plan from here matters at b0 if above
  double high_target_ = 0;  // U: b0 is done with bounds up to this
  double allowed_ = 0;      // the gap that a path may leave here; grows as the root cares less
  int pruned_;              // vectors that the last pruning left
};

}  // namespace penumbra::sarsop
