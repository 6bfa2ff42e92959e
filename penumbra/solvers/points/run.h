// The frame of every solver that tightens PointBounds: sets up the model, runs rounds until a
// limit, reports proven bounds, and hands over the vectors and their plan.
#pragma once

#include <functional>
#include <optional>

#include "penumbra/solvers/points/point_bounds.h"
#include "penumbra/solvers/solver.h"

namespace penumbra::points {

// Asked within rounds: true when it is time to stop.
using Stop = std::function<bool()>;

// What a solver does in rounds, e.g. a path and its backups.
class Rounds {
 public:
  virtual ~Rounds() = default;
  // False when `stop` ended it before the round was over: the next call goes on right there, so
  // that a solve that is stopped and resumed does the same steps as one that is not.
  virtual bool run(const Stop& stop) = 0;
  // Everything that rounds leave behind, besides the bounds.
  virtual void save(Saver& saver) = 0;
  virtual void load(Loader& loader) = 0;
};

Solution run_rounds(const Pomdp& model, const Limits& limits, ThreadPool& pool,
                    const Solver::Report& report,
                    const std::function<std::unique_ptr<Rounds>(PointBounds&)>& make_rounds);

}  // namespace penumbra::points
