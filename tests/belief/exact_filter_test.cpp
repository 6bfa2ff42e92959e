#include "penumbra/belief/exact_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domains/registry.h"
#include "domains/tiger.h"

namespace penumbra {
namespace {

TEST(ExactFilter, TigerFollowsBayes) {
  const Tabular t = Tiger{}.table();
  const ExactFilter filter(t);
  std::vector<double> belief = filter.initial();
  EXPECT_DOUBLE_EQ(filter.update(belief, Tiger::kListen, 0), 0.5);
  EXPECT_DOUBLE_EQ(belief[0], 0.85);
  EXPECT_NEAR(filter.update(belief, Tiger::kListen, 0), 0.85 * 0.85 + 0.15 * 0.15, 1e-15);
  EXPECT_NEAR(belief[0], 0.7225 / 0.745, 1e-15);
  filter.update(belief, Tiger::kListen, 1);
  EXPECT_NEAR(belief[0], 0.85, 1e-14);
}

TEST(ExactFilter, OpeningADoorForgets) {
  const Tabular t = Tiger{}.table();
  const ExactFilter filter(t);
  std::vector<double> belief = {0.9, 0.1};
  EXPECT_DOUBLE_EQ(filter.update(belief, Tiger::kOpenLeft, 1), 0.5);
  EXPECT_THAT(belief, testing::ElementsAre(0.5, 0.5));
}

TEST(ExactFilter, AnImpossibleObservationLeavesTheBelief) {
  Tiger sure;
  sure.accuracy = 1;
  const Tabular t = sure.table();
  const ExactFilter filter(t);
  std::vector<double> belief = {1, 0};
  EXPECT_EQ(filter.update(belief, Tiger::kListen, 1), 0);
  EXPECT_THAT(belief, testing::ElementsAre(1, 0));
}

TEST(ExactFilter, RulesOutTerminalStates) {
  const auto model = load_domain("rock-sample(n=1,k=0)");
  const Tabular t = model->table();
  const ExactFilter filter(t);
  std::vector<double> belief = filter.initial();
  EXPECT_EQ(filter.update(belief, 2, 2), 0);  // east ends the episode for certain
}

}  // namespace
}  // namespace penumbra
