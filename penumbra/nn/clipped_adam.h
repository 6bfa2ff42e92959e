// Adam on parameters whose gradient is first shortened to a greatest length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "penumbra/nn/aligned.h"

namespace penumbra::nn {

// Adds parts[1], parts[2], ... to parts[0] in this order and returns the squared length of the sum.
double sum_gradients(std::span<float* const> parts, size_t count);

class ClippedAdam {
 public:
  explicit ClippedAdam(size_t count) : mean_(count), square_(count) {}

  // One step with gradient * scale: the caller knows the length over all that is learnt together.
  void step(std::span<float> parameters, std::span<const float> gradient, double scale,
            double rate);

  template <class Archive>
  void archive(Archive& a) {
    a(steps_, mean_, square_);
  }

 private:
  uint64_t steps_ = 0;
  AlignedVector<float> mean_, square_;
};

}  // namespace penumbra::nn
