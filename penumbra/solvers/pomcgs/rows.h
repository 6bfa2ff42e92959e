// Sums over rows of numbers: fast, and the same bits whatever the compiler makes of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace penumbra::pomcgs {

// Eight sums side by side.
inline float total(const float (&sum)[8]) {
  return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

inline float dot(const float* a, const float* b, size_t n) {
  float sum[8] = {};
  size_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int k = 0; k < 8; ++k) sum[k] += a[i + k] * b[i + k];
  for (; i < n; ++i) sum[0] += a[i] * b[i];
  return total(sum);
}

// The sum of |a - b|; stops early above `most`.
inline float l1_distance(const float* a, const float* b, size_t n, float most) {
  float all = 0;
  for (size_t begin = 0; begin < n && all <= most; begin += 128) {
    const size_t end = std::min(n, begin + 128);
    float sum[8] = {};
    size_t i = begin;
    for (; i + 8 <= end; i += 8)
      for (int k = 0; k < 8; ++k) sum[k] += std::abs(a[i + k] - b[i + k]);
    for (; i < end; ++i) sum[0] += std::abs(a[i] - b[i]);
    all += total(sum);
  }
  return all;
}

}  // namespace penumbra::pomcgs
