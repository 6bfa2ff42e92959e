// A reduction of per-state values: sum[g] = sum over rows r with group[r] = g of weight[r] * v[r].
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "penumbra/base/error.h"

namespace penumbra::nn {

struct Groups {
  std::span<const int32_t> group = {};  // one per row; negative: the row counts for nothing
  int count = 0;
  std::span<const float> weights = {};  // one per row; empty: all 1

  double weight(size_t row) const { return weights.empty() ? 1.0 : weights[row]; }

  void check(int rows, size_t values, size_t functions) const {
    if (group.size() != size_t(rows) || (!weights.empty() && weights.size() != size_t(rows))) {
      throw Error("group sums: groups and weights need one entry for each of the " +
                  std::to_string(rows) + " rows");
    }
    if (count < 0 || values != size_t(count) * functions) {
      throw Error("group sums: room for " + std::to_string(values) + " sums where " +
                  std::to_string(size_t(count) * functions) + " are computed");
    }
    for (int32_t g : group) {
      if (g >= count) {
        throw Error("group sums: group " + std::to_string(g) + " of " + std::to_string(count));
      }
    }
  }
};

}  // namespace penumbra::nn
