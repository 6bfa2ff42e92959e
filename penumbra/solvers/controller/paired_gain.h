// Whether one continuation is better than another, on common random numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace penumbra::controller {

constexpr double kLeastGain = 1e-4;  // smaller ones are not worth a node

// Mean and standard error of a - b.
struct PairedGain {
  double mean = 0, error = 0;
};

inline PairedGain paired_gain(const std::vector<float>& a, const std::vector<float>& b) {
  const double n = static_cast<double>(a.size());
  double sum = 0, squares = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double d = double(a[i]) - b[i];
    sum += d;
    squares += d * d;
  }
  const double average = sum / n;
  return {average, std::sqrt(std::max(0.0, squares / n - average * average) / n)};
}

}  // namespace penumbra::controller
