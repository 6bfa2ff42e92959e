#include "penumbra/solvers/pomcgs/plan_blocks.h"

#include <bit>
#include <numeric>

namespace penumbra::pomcgs {
namespace {

constexpr size_t kSample = 64;  // states that a wide belief is judged by
constexpr size_t kBest = 6;     // plans that are worth a closer look

// States at equal steps of the running sum of weights, each with the same weight.
Row sample(RowView row) {
  Row few;
  const float share = std::accumulate(row.weight, row.weight + row.count, 0.0f) / kSample;
  float sum = 0;
  for (size_t i = 0; i < row.count; ++i) {
    sum += row.weight[i];
    while (few.weights.size() < kSample &&
           (static_cast<float>(few.weights.size()) + 0.5f) * share < sum) {
      few.places.push_back(static_cast<uint32_t>(row.place(i)));
      few.weights.push_back(share);
    }
  }
  return few;
}

}  // namespace

void PlanBlocks::clear() {
  plans_.clear();
  blocks_.clear();
}

void PlanBlocks::add(int plan, std::span<const float> alpha) {
  const size_t column = plans_.size() % kWidth;
  if (column == 0) blocks_.emplace_back(alpha.size() * kWidth, uint16_t{0});
  uint16_t* out = blocks_.back().data() + column;
  for (size_t i = 0; i < alpha.size(); ++i)
    out[i * kWidth] = static_cast<uint16_t>(std::bit_cast<uint32_t>(alpha[i]) >> 16);
  plans_.push_back(plan);
}

std::vector<int> PlanBlocks::best(RowView row, int known) const {
  const auto first =
      static_cast<size_t>(std::upper_bound(plans_.begin(), plans_.end(), known) - plans_.begin());
  if (first == plans_.size()) return {};
  Row few;
  if (row.count > 2 * kSample) {
    few = sample(row);
    row = few.view();
  }
  std::vector<std::pair<float, int>> found;
  for (size_t b = first / kWidth; b < blocks_.size(); ++b) {
    float value[kWidth] = {};
    const uint16_t* block = blocks_[b].data();
    for (size_t i = 0; i < row.count; ++i) {
      const uint16_t* alpha = block + row.place(i) * kWidth;
      const float w = row.weight[i];
      for (size_t k = 0; k < kWidth; ++k)
        value[k] += w * std::bit_cast<float>(uint32_t{alpha[k]} << 16);
    }
    const size_t end = std::min(kWidth, plans_.size() - b * kWidth);
    for (size_t k = first > b * kWidth ? first - b * kWidth : 0; k < end; ++k)
      found.emplace_back(-value[k], plans_[b * kWidth + k]);
  }
  const size_t n = std::min(kBest, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<long>(n), found.end());
  std::vector<int> plans;
  for (size_t i = 0; i < n; ++i) plans.push_back(found[i].second);
  return plans;
}

}  // namespace penumbra::pomcgs
