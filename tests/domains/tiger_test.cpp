#include "domains/tiger.h"

#include <gtest/gtest.h>

namespace penumbra {
namespace {

TEST(Tiger, PaysByTheDoor) {
  const Tiger tiger;
  Rng rng(RngKey::from_seed(1), 0);
  EXPECT_EQ(tiger.step({1}, Tiger::kListen, rng).reward, -1);
  EXPECT_EQ(tiger.step({1}, Tiger::kOpenLeft, rng).reward, 10);
  EXPECT_EQ(tiger.step({1}, Tiger::kOpenRight, rng).reward, -100);
  EXPECT_EQ(tiger.step({0}, Tiger::kOpenLeft, rng).reward, -100);
}

TEST(Tiger, ListeningIsRightAsOftenAsItSays) {
  const Tiger tiger;
  int right = 0;
  for (int i = 0; i < 10'000; ++i) {
    Rng rng(RngKey::from_seed(1), i);
    const auto o = tiger.step({1}, Tiger::kListen, rng);
    EXPECT_EQ(o.next.right, 1);
    right += o.seen == 1;
  }
  EXPECT_NEAR(right, 8500, 6 * std::sqrt(10'000 * 0.85 * 0.15));
}

TEST(Tiger, TheMdpValueIsGoldForEver) {
  EXPECT_NEAR(Tiger{}.mdp_value({0}), 200, 1e-9);
}

}  // namespace
}  // namespace penumbra
