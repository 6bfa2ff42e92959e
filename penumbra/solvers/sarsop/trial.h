// The paths of SARSOP: down by the bounds, back up by backups.
#pragma once

#include "penumbra/solvers/points/run.h"
#include "penumbra/solvers/sarsop/predictor.h"
#include "penumbra/solvers/sarsop/sarsop.h"

namespace penumbra::sarsop {

// Samples a path from b0 and backs up both bounds along it; now and then drops useless vectors.
class Trial {
 public:
  Trial(points::PointBounds& bounds, const SarsopOptions& options)
      : bounds_(bounds),
        options_(options),
        predictor_(bounds),
        pruned_(bounds.vectors().num_listed()) {}
  // Sampling ends early when `stop` says so.
  void run(const points::Stop& stop);

 private:
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
  std::vector<int> path_;
  int pruned_;  // vectors that the last pruning left
};

}  // namespace penumbra::sarsop
