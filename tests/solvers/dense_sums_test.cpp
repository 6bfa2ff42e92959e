#include "penumbra/solvers/cells/dense_sums.h"

#include <gtest/gtest.h>

namespace penumbra::cells {
namespace {

TEST(DenseSums, AreTheSumsOverCells) {
  constexpr size_t kCells = 7, kWidth = 21, kObservations = 5;
  auto chance_of = [](size_t i, size_t o) { return 0.1f * float((3 * i + o) % 4); };
  auto value_of = [](size_t i, size_t v) { return float(i) - 0.5f * float(v); };
  DenseSums dense;
  dense.resize(kCells, kWidth);
  std::vector<float> chance, sums;
  for (size_t i = 0; i < kCells; ++i) {
    for (size_t v = 0; v < kWidth; ++v) dense.row(i)[v] = value_of(i, v);
    for (size_t o = 0; o < kObservations; ++o) chance.push_back(chance_of(i, o));
  }
  dense.multiply(chance, kObservations, sums);
  for (size_t o = 0; o < kObservations; ++o)
    for (size_t v = 0; v < kWidth; ++v) {
      float expected = 0;
      for (size_t i = 0; i < kCells; ++i) expected += chance_of(i, o) * value_of(i, v);
      EXPECT_NEAR(sums[o * dense.stride() + v], expected, 1e-5);
    }
}

}  // namespace
}  // namespace penumbra::cells
