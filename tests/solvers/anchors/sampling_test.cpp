#include "penumbra/solvers/anchors/sampling.h"

#include <gtest/gtest.h>

#include <cmath>

#include "domains/registry.h"

namespace penumbra::anchors {
namespace {

TEST(SampleAnchors, AreClosedUnderMostStepsFromFewOrigins) {
  const auto model = load_finite_domain("light-dark(dimensions=4)");
  const RecordBuffer anchors = sample_anchors(*model, 2000, 1, RngKey::from_seed(1), {});
  ASSERT_EQ(anchors.count(), 2000u);
  std::vector<float> x(4 * anchors.count());
  model->coordinates(anchors, x);
  size_t near = 0;  // at most seven moves from the origin: 2241 states
  for (size_t i = 0; i < anchors.count(); ++i) {
    float moves = 0;
    for (int d = 0; d < 4; ++d) moves += std::abs(x[4 * i + d] - x[d]);
    near += moves < 7.5f;
  }
  EXPECT_EQ(near, anchors.count());
}

}  // namespace
}  // namespace penumbra::anchors
