// The values of many plans on one support, side by side: a belief is compared with all of them in
// one pass over its states.
#pragma once

#include <span>
#include <vector>

#include "penumbra/solvers/pomcgs/rows.h"

namespace penumbra::pomcgs {

class PlanBlocks {
 public:
  void clear();
  // ConditionalPlans come in ascending order.
  void add(int plan, std::span<const float> alpha);
  size_t count() const { return plans_.size(); }

  // The plans above `known` that look best for a belief, by a few of its states where it has many.
  std::vector<int> best(RowView row, int known) const;

 private:
  static constexpr size_t kWidth = 64;  // plans of a block
  std::vector<int> plans_;
  // Each row-major [place][kWidth]: the upper halves of floats, which is enough to choose by.
  std::vector<std::vector<uint16_t>> blocks_;
};

}  // namespace penumbra::pomcgs
