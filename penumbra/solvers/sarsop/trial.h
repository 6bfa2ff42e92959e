// The paths of SARSOP: down by the bounds, back up by backups.
#pragma once

#include "penumbra/base/options.h"
#include "penumbra/solvers/points/point_solver.h"
#include "penumbra/solvers/sarsop/predictor.h"

namespace penumbra::sarsop {

struct Options {
  double trial_gap = 0.5;  // a path ends at this share of the gap at b0
  bool predict = true;     // selective deep sampling by the values of similar beliefs
  double prune_growth = 0.1;
  void list(OptionList& l) {
    l.add("trial-gap", trial_gap, 0.01, 1, "a path ends at this share of the gap at b0");
    l.add("predict", predict, "go deeper where similar beliefs promise a better plan");
    l.add("prune-growth", prune_growth, 0.01, 10, "drop useless vectors when so many are new");
  }
};

// Samples a path from b0 and backs up both bounds along it; now and then drops useless vectors.
class Trial final : public points::BackupOrder {
 public:
  Trial(points::PointBounds& bounds, const Options& options)
      : bounds_(bounds),
        options_(options),
        predictor_(bounds),
        pruned_(bounds.vectors().num_listed()) {}
  bool run(const Stop& stop) override;
  void save(Saver& saver) override { archive(saver); }
  void load(Loader& loader) override { archive(loader); }

 private:
  template <class Archive>
  void archive(Archive& a) {
    a(predictor_, phase_, path_, node_, low_target_, high_target_, allowed_, pruned_);
  }
  void begin();
  // Each returns false when `stop` came first.
  bool descend(const Stop& stop);
  bool ascend(const Stop& stop);

  struct Step {
    int action = -1;
    const points::Child* child = nullptr;
    double later_lower = 0, later_upper = 0;  // of the other children: sum of chance * bound
  };
  // Which way the path goes on; the excess is counted above `allowed` at the children.
  Step choose(int node, double allowed);

  points::PointBounds& bounds_;
  const Options& options_;
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
