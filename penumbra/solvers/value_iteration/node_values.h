// What the nodes of a controller are worth at a belief, however that is found out. A belief tree
// takes its lower values from here.
#pragma once

#include <span>

#include "penumbra/base/rng.h"
#include "penumbra/belief/particles.h"

namespace penumbra::value_iteration {

struct BestNode {
  double value = 0;
  int node = -1;  // -1: none is known
};

class NodeValues {
 public:
  virtual ~NodeValues() = default;
  virtual int count() const = 0;  // nodes
  // The best among the nodes from `first` on; may look at the others again.
  virtual BestNode best(const Particles& belief, int first, RngKey key) const = 0;
};

}  // namespace penumbra::value_iteration
