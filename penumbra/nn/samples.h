// Rows to learn from, and which of them are held out to judge what was learned.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "penumbra/base/features.h"
#include "penumbra/base/rng.h"

namespace penumbra::nn {

struct Samples {
  const FeatureBatch* states = nullptr;
  std::span<const float> targets = {};  // one per row, or rows x outputs without heads
  std::span<const float> weights = {};  // one per row, not negative; empty: all 1
  std::span<const int32_t> heads =
      {};  // the output that each target belongs to; empty: all outputs

  int rows() const { return states ? states->rows() : 0; }
};

// Whether row i is held out. Depends on i and the seed alone, so that fits on the same states
// hold out the same rows and can share their normal equations.
inline bool held_out(uint64_t seed, uint64_t row, double fraction) {
  return double(RngKey::mix(RngKey::mix(seed + 0x9e3779b97f4a7c15u) ^ row) >> 11) * 0x1p-53 <
         fraction;
}

struct Split {
  std::vector<int32_t> training, validation;

  // At least one row on either side if there are two rows.
  Split(uint64_t seed, int rows, double fraction) {
    for (int i = 0; i < rows; ++i) {
      (held_out(seed, i, fraction) ? validation : training).push_back(i);
    }
    if (validation.empty() && training.size() > 1) move_last(training, validation);
    if (training.empty() && !validation.empty()) move_last(validation, training);
  }

 private:
  static void move_last(std::vector<int32_t>& from, std::vector<int32_t>& to) {
    to.push_back(from.back());
    from.pop_back();
  }
};

}  // namespace penumbra::nn
