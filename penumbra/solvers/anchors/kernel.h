// K(s, x): how much each of the nearest anchors counts for a state.
#pragma once

#include <span>
#include <vector>

#include "penumbra/solvers/anchors/neighbours.h"

namespace penumbra::anchors {

class Kernel {
 public:
  struct Weight {
    int anchor = 0;
    double weight = 0;
  };
  struct Buffer {  // memory of one thread
    std::vector<Neighbours::Near> near;
    std::vector<Weight> weights;
  };

  explicit Kernel(int neighbours) : neighbours_(neighbours) {}

  // Of row `i`, the nearest first; they add up to one. None where no anchor has its code.
  std::span<const Weight> weigh(const Neighbours& anchors, const InputRows& rows, size_t i,
                                int width, Buffer& buffer) const;

 private:
  int neighbours_;
};

}  // namespace penumbra::anchors
