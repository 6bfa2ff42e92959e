#include "penumbra/policy/simple.h"

#include <gtest/gtest.h>

#include <array>

#include "domains/registry.h"
#include "penumbra/base/error.h"

namespace penumbra {
namespace {

TEST(BlindPolicy, AlwaysDoesTheSame) {
  const auto model = load_domain("tiger");
  const BlindPolicy policy(*model, 2);
  RecordBuffer action(sizeof(int), 3);
  policy.act({}, {}, action);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(action.as<int>(i), 2);
  EXPECT_EQ(policy.describe(), "blind(action=open-right)");
  EXPECT_EQ(policy.memory_size(), 0);
}

TEST(BlindPolicy, RefusesActionsThatAreNone) {
  const auto model = load_domain("tiger");
  EXPECT_THROW(BlindPolicy(*model, 3), Error);
  EXPECT_THROW(BlindPolicy(*model, -1), Error);
  EXPECT_THROW(BlindPolicy(*load_domain("lidar-roomba(actions=continuous)"), 0), Error);
}

TEST(RandomPolicy, IsUniformOverFiniteActions) {
  const auto model = load_domain("tiger");
  const RandomPolicy policy(*model);
  RecordBuffer action(sizeof(int), 30'000);
  policy.act({}, {RngKey::from_seed(1)}, action);
  std::array<int, 3> count{};
  for (size_t i = 0; i < action.count(); ++i) ++count.at(action.as<int>(i));
  for (int c : count) EXPECT_NEAR(c, 10'000, 6 * std::sqrt(10'000 * 2 / 3.0));
}

TEST(RandomPolicy, StaysInTheBoxOfContinuousActions) {
  const auto model = load_domain("lidar-roomba(actions=continuous)");
  const RandomPolicy policy(*model);
  RecordBuffer action(model->action_size(), 1000);
  policy.act({}, {RngKey::from_seed(1)}, action);
  const Facts& f = model->facts();
  for (size_t i = 0; i < action.count(); ++i)
    for (size_t d = 0; d < f.action_low.size(); ++d) {
      const float x = reinterpret_cast<const float*>(action.at(i))[d];
      EXPECT_TRUE(x >= f.action_low[d] && x <= f.action_high[d]);
    }
}

}  // namespace
}  // namespace penumbra
