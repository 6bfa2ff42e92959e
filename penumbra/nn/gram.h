// The Gram matrix of weighted feature rows, G = sum of weight * phi phi^T, in double.
#pragma once

#include <span>
#include <vector>

#include "penumbra/base/thread_pool.h"
#include "penumbra/nn/feature_map.h"

namespace penumbra::nn {

// Lower triangle, row-major, `stride` doubles a row; what lies above the diagonal is undefined.
struct GramMatrix {
  int width = 0;
  size_t stride = 0;
  AlignedVector<double> values;

  explicit GramMatrix(int columns = 0);
  double at(int i, int j) const { return values[i * stride + j]; }  // j <= i
  // Adds scale * other.
  void add(const GramMatrix& other, double scale);
};

// Adds the rows with a positive weight; `weights` has one entry per row.
void add_rows(GramMatrix& gram, const FeatureMatrix& features, std::span<const double> weights,
              ThreadPool* pool = nullptr);

}  // namespace penumbra::nn
