// Every solver that tightens PointBounds: sets up the model, runs rounds in the one frame
// (solvers/anytime.h), reports proven bounds, and hands over the vectors and their plan. SARSOP,
// HSVI2, PBVI and Perseus are nothing but the order of the backups.
#pragma once

#include <memory>

#include "penumbra/base/archive.h"
#include "penumbra/base/stop.h"
#include "penumbra/solvers/points/point_bounds.h"
#include "penumbra/solvers/solver.h"

namespace penumbra::points {

// What a solver does in rounds, e.g. a path and its backups.
class BackupOrder {
 public:
  virtual ~BackupOrder() = default;
  // False when `stop` ended it before the round was over: the next call goes on right there, so
  // that a solve that is stopped and resumed does the same steps as one that is not.
  virtual bool run(const Stop& stop) = 0;
  // Everything that rounds leave behind, besides the bounds.
  virtual void save(Saver& saver) = 0;
  virtual void load(Loader& loader) = 0;
};

class PointSolver : public Solver {
 public:
  Capabilities needs() const final {
    return Capability::kTable | Capability::kFiniteActions | Capability::kFiniteObservations;
  }
  PolicyForm makes() const final { return PolicyForm::kVectors; }
  Solution solve(const Pomdp& model, const Limits& limits, uint64_t seed, ThreadPool& pool,
                 const Report& report) final;

 private:
  virtual std::unique_ptr<BackupOrder> order(PointBounds& bounds, uint64_t seed) const = 0;
};

}  // namespace penumbra::points
