#include "penumbra/nn/clipped_adam.h"

#include <algorithm>
#include <cmath>

#include "penumbra/base/error.h"
#include "penumbra/nn/kernels.h"

namespace penumbra::nn {

double sum_gradients(std::span<float* const> parts, size_t count) {
  double squares = 0;
  float* sum = parts[0];
  constexpr size_t kBlock = 256;
  for (size_t i = 0; i < count; i += kBlock) {
    const size_t end = std::min(count, i + kBlock);
    for (size_t p = 1; p < parts.size(); ++p)
      for (size_t j = i; j < end; ++j) sum[j] += parts[p][j];
    float lane[8] = {};  // fixed lanes, so that the order does not depend on the compiler's mood
    for (size_t j = i; j < end; ++j) lane[j % 8] += sum[j] * sum[j];
    for (float value : lane) squares += value;
  }
  return squares;
}

void ClippedAdam::step(std::span<float> parameters, std::span<const float> gradient, double scale,
                       double rate) {
  PENUMBRA_CHECK(parameters.size() == mean_.size() && gradient.size() == mean_.size(),
                 "Adam was made for another number of parameters");
  constexpr double kBeta1 = 0.9, kBeta2 = 0.999, kEpsilon = 1e-5;
  ++steps_;
  const double rest1 = 1 - std::pow(kBeta1, double(steps_));
  const double rest2 = 1 - std::pow(kBeta2, double(steps_));
  Adam a;
  a.rows = 1;
  a.columns = int(parameters.size());
  a.weight = parameters.data();
  a.mean = mean_.data();
  a.square = square_.data();
  a.gradient = gradient.data();
  a.scale = float(scale);
  a.rate = float(rate * std::sqrt(rest2) / rest1);
  a.epsilon = float(kEpsilon * std::sqrt(rest2));
  kernels().adam(a);
}

}  // namespace penumbra::nn
