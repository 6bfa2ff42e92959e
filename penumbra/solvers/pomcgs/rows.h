// Sums over rows of numbers: fast, and the same bits whatever the compiler makes of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

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

// A row whose numbers may be at some places only (ascending); none named: at all of them.
struct RowView {
  const uint32_t* at = nullptr;
  const float* weight = nullptr;
  size_t count = 0;
  size_t place(size_t i) const { return at ? at[i] : i; }
};

struct Row {
  std::vector<uint32_t> places{};  // none: all
  std::vector<float> weights{};
  RowView view() const {
    return {places.empty() ? nullptr : places.data(), weights.data(), weights.size()};
  }
};

inline float dot(const RowView& row, const float* b) {
  if (!row.at) return dot(row.weight, b, row.count);
  float sum[8] = {};
  size_t i = 0;
  for (; i + 8 <= row.count; i += 8)
    for (int k = 0; k < 8; ++k) sum[k] += row.weight[i + k] * b[row.at[i + k]];
  for (; i < row.count; ++i) sum[0] += row.weight[i] * b[row.at[i]];
  return total(sum);
}

// The sum of |a - b|, or any number above `most`.
inline float l1_distance(const RowView& a, const RowView& b, float most) {
  if (!a.at && !b.at) return l1_distance(a.weight, b.weight, a.count, most);
  float all = 0;
  size_t i = 0, j = 0;
  while (i < a.count && j < b.count && all <= most) {
    const size_t x = a.place(i), y = b.place(j);
    if (x == y)
      all += std::abs(a.weight[i++] - b.weight[j++]);
    else if (x < y)
      all += a.weight[i++];
    else
      all += b.weight[j++];
  }
  for (; i < a.count && all <= most; ++i) all += a.weight[i];
  for (; j < b.count && all <= most; ++j) all += b.weight[j];
  return all;
}

}  // namespace penumbra::pomcgs
