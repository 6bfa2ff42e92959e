// Sums over cells for all pairs of observations and vectors, where cells make most observations
// possible: a matrix product.
#pragma once

#include <span>
#include <vector>

#include "penumbra/nn/aligned.h"

namespace penumbra::cells {

class DenseSums {
 public:
  // Values of `width` vectors at each of `cells`: fill row(i) of all of them.
  void resize(size_t cells, size_t width);
  float* row(size_t cell) { return values_.data() + cell * stride(); }
  // From one observation to the next in `sums`.
  size_t stride() const { return panels_ * nn::kPanel; }
  // sums[o * stride() + v] = sum over cells i of chance[i * observations + o] * row(i)[v]
  void multiply(std::span<const float> chance, size_t observations, std::vector<float>& sums);

 private:
  size_t cells_ = 0, panels_ = 0;
  nn::AlignedVector<float> values_, panel_;
};

}  // namespace penumbra::cells
