#include "penumbra/bounds/explicit_bounds.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "domains/registry.h"

namespace penumbra {
namespace {

Tabular tiger() {
  return load_domain("tiger")->table();
}

TEST(ExplicitBounds, KnownTigerIsGoldForEver) {
  const MixedModel model(tiger());
  const PartValues values = mdp_bound(model);
  for (double v : values[0]) {
    EXPECT_GE(v, 200);
    EXPECT_LE(v, 200.001);
  }
}

TEST(ExplicitBounds, BlindListeningCostsTwenty) {
  const MixedModel model(tiger());
  const PartActionValues blind = blind_bound(model);
  for (double v : blind[0][0]) {
    EXPECT_LE(v, -20);
    EXPECT_GE(v, -20.001);
  }
}

TEST(ExplicitBounds, InformedIsBetweenTheOptimumAndQmdp) {
  const MixedModel model(tiger());
  const PartActionValues qmdp = qmdp_bound(model, mdp_bound(model));
  const PartActionValues fib = fast_informed_bound(model);
  for (int a = 0; a < 3; ++a)
    for (int y = 0; y < 2; ++y) EXPECT_LE(fib[0][a][y], qmdp[0][a][y] + 1e-9);
  double best = -1e9;
  for (int a = 0; a < 3; ++a) best = std::max(best, (fib[0][a][0] + fib[0][a][1]) / 2);
  EXPECT_GE(best, 19.371);
  EXPECT_LT(best, 100);
}

TEST(ExplicitBounds, ALooseIterateIsStillABound) {
  const MixedModel model(tiger());
  EXPECT_GE(mdp_bound(model, 0.5)[0][0], 200);
  EXPECT_LE(blind_bound(model, 0.5)[0][0][0], -20);
}

// A Stop that says yes from its n-th question on.
Stop after(int n) {
  return [left = std::make_shared<std::atomic<int>>(n)] { return (*left)-- <= 0; };
}

TEST(ExplicitBounds, StoppedAnywhereTheyAreStillBounds) {
  const MixedModel model(load_domain("rock-sample(n=5,k=5)")->table());
  const PartValues mdp = mdp_bound(model);
  const PartActionValues fib = fast_informed_bound(model), blind = blind_bound(model);
  for (int n : {0, 1, 2, 3, 7, 20, 500}) {
    const PartValues mdp_now = mdp_bound(model, 1e-6, after(n));
    const PartActionValues fib_now = fast_informed_bound(model, 1e-6, after(n));
    const PartActionValues qmdp_now = qmdp_bound(model, mdp_now, after(n));
    const PartActionValues blind_now = blind_bound(model, 1e-6, after(n));
    for (int p = 0; p < model.num_parts(); ++p)
      for (int y = 0; y < model.size(p); ++y) {
        ASSERT_GE(mdp_now[p][y], mdp[p][y] - 1e-4) << n;
        for (int a = 0; a < model.num_actions(); ++a) {
          ASSERT_GE(fib_now[p][a][y], fib[p][a][y] - 1e-4) << n;
          ASSERT_GE(qmdp_now[p][a][y], fib[p][a][y] - 1e-4) << n;
          ASSERT_LE(blind_now[p][a][y], blind[p][a][y] + 1e-4) << n;
        }
      }
  }
}

TEST(ExplicitBounds, WithoutNoiseInTheMovesTheInformedBoundIsQmdp) {
  const MixedModel model(load_domain("rock-sample(map=4-4,rules=classic)")->table());
  const PartActionValues fib = fast_informed_bound(model);
  const PartActionValues qmdp = qmdp_bound(model, mdp_bound(model));
  EXPECT_NEAR(fib[0][1][3], qmdp[0][1][3], 1e-4);
}

}  // namespace
}  // namespace penumbra
