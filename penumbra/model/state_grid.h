// A coarser state space: after every step each coordinate is moved to the middle of its cell of a
// grid. A step of 0 leaves a coordinate as it is; one at least is above 0.
#pragma once

#include <memory>
#include <vector>

#include "penumbra/model/decorated.h"

namespace penumbra {

class StateGrid final : public Decorated {
 public:
  StateGrid(std::unique_ptr<Pomdp> inner, std::vector<double> steps);

  void sample_initial(Streams streams, Records out) const override;
  using Decorated::step;
  void step(ConstRecords state, ConstRecords action, Streams streams,
            const StepResults& out) const override;

 private:
  // Terminal states stay as they are.
  void snap(Records states) const;
  std::vector<double> steps_;
};

}  // namespace penumbra
