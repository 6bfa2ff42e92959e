#include "domains/light_dark.h"

#include <gtest/gtest.h>

#include "domains/light_dark_space.h"
#include "penumbra/evaluate/score.h"
#include "yardsticks/light_dark_expert.h"

namespace penumbra {
namespace {

using State = LightDark::State;

Outcome<State, float> step(State s, int action, uint64_t lane = 0) {
  Rng rng(RngKey::from_seed(1), lane);
  return LightDark{}.step(s, action, rng);
}

TEST(LightDark, MovesByOneForNothing) {
  EXPECT_EQ(step({2.5f, 0}, LightDark::kLeft).next.y, 1.5f);
  EXPECT_EQ(step({2.5f, 0}, LightDark::kRight).next.y, 3.5f);
  EXPECT_EQ(step({2.5f, 0}, LightDark::kRight).reward, 0);
}

TEST(LightDark, StoppingPaysNearTheOriginOnly) {
  EXPECT_EQ(step({0.99f, 0}, LightDark::kStop).reward, 10);
  EXPECT_EQ(step({-0.99f, 0}, LightDark::kStop).reward, 10);
  EXPECT_EQ(step({1, 0}, LightDark::kStop).reward, -10);
  EXPECT_TRUE(LightDark{}.is_terminal(step({1, 0}, LightDark::kStop).next));
}

TEST(LightDark, NoiseGrowsWithTheDistanceFromTheLight) {
  EXPECT_NEAR(LightDark{}.deviation(5), 0.01, 1e-7);
  EXPECT_NEAR(LightDark{}.deviation(0), 5 / std::sqrt(2.0) + 0.01, 1e-6);
  double squares = 0;
  for (int i = 0; i < 20'000; ++i) {
    const double error = step({2, 0}, LightDark::kRight, i).seen - 3;
    squares += error * error / 20'000;
  }
  EXPECT_NEAR(std::sqrt(squares), 2 / std::sqrt(2.0) + 0.01, 0.05);
}

TEST(LightDark, MdpValueWalksStraightToTheGoal) {
  const LightDark m;
  EXPECT_NEAR(m.mdp_value({0.5f, 0}), 10, 1e-9);
  EXPECT_NEAR(m.mdp_value({1, 0}), 9, 1e-9);
  EXPECT_NEAR(m.mdp_value({-1.5f, 0}), 9, 1e-9);
  EXPECT_NEAR(m.mdp_value({2, 0}), 8.1, 1e-9);
  EXPECT_NEAR(m.mdp_value({-7.3f, 0}), 10 * std::pow(0.9, 7), 1e-9);
  EXPECT_EQ(m.mdp_value({0, 1}), 0);
}

// Nothing but noise hides the first position: a grid over it makes Bayes' rule exact.
TEST(LightDark, TheExpertScoresWhatIsKnown) {
  const auto model = adapt(LightDark{});
  ThreadPool pool(2);
  EvaluateOptions options;
  options.episodes = 60'000;
  const Score score = evaluate(*model, *light_dark_expert(*model), options, pool);
  EXPECT_NEAR(score.mean, 3.94, 0.02 + score.standard_error);
  EXPECT_LT(score.standard_error, 0.01);
}

TEST(LightDark, DrawsTheLine) {
  EXPECT_EQ(LightDark{}.draw({2, 0}), "..........0.@..*.....\n");
  EXPECT_EQ(LightDark{}.draw({0, 1}), "..........X....*.....\n");
}

using Plane = LightDarkSpace<2, false>;

TEST(LightDarkSpace, EveryCoordinateHasItsTwoMoves) {
  const LightDarkSpace<3, false> m;
  ASSERT_EQ(m.facts().num_actions, 7);
  Rng rng(RngKey::from_seed(1), 0);
  for (int a = 0; a < 7; ++a) {
    const auto out = m.step({{2, 3, 4}, 0}, a, rng);
    std::array<float, 3> expected{2, 3, 4};
    if (a == 0 || a == 2) expected[0] += static_cast<float>(a - 1);
    if (a > 2) expected[(a - 1) / 2] += a % 2 ? -1.0f : 1.0f;
    EXPECT_EQ(out.next.x, expected) << m.facts().action_names[a];
  }
}

TEST(LightDarkSpace, StoppingPaysWhereAllCoordinatesAreNearTheOrigin) {
  const Plane m;
  Rng rng(RngKey::from_seed(1), 0);
  EXPECT_EQ(m.step({{0.9f, -0.9f}, 0}, Plane::kStop, rng).reward, 10);
  EXPECT_EQ(m.step({{0.9f, -1.1f}, 0}, Plane::kStop, rng).reward, -10);
  EXPECT_EQ(m.step({{1.1f, 0}, 0}, Plane::kStop, rng).reward, -10);
  EXPECT_NEAR(m.mdp_value({{2.5f, -1}, 0}), 10 * std::pow(0.9, 3), 1e-9);
}

TEST(LightDarkSpace, TheFirstCoordinateMakesTheNoiseOfAll) {
  const Plane m;
  for (float first : {5.0f, 1.0f}) {
    double squares = 0;
    for (int i = 0; i < 20'000; ++i) {
      Rng rng(RngKey::from_seed(1), i);
      const double error = m.step({{first, 5}, 0}, 4, rng).seen[1] - 6;
      squares += error * error / 20'000;
    }
    EXPECT_NEAR(std::sqrt(squares), m.deviation(first), 0.02 * m.deviation(first));
  }
}

TEST(LightDarkSpace, TheOtherSensorHearsWhatMoved) {
  const LightDarkSpace<2, true> m;
  Rng rng(RngKey::from_seed(1), 0);
  EXPECT_NEAR(m.step({{4, 20}, 0}, Plane::kRight, rng).seen, 5, 0.1);
  EXPECT_NEAR(m.step({{5, 20}, 0}, 4, rng).seen, 21, 0.1);
  EXPECT_GT(m.likelihood(20, 4, {{5, 20}, 0}), 30);
  EXPECT_LT(m.likelihood(20, Plane::kRight, {{5, 20}, 0}), 1e-9);
}

TEST(LightDarkSpace, TheExpertGainsInFourDimensions) {
  const auto model = adapt(LightDarkSpace<4, false>{});
  ThreadPool pool(2);
  EvaluateOptions options;
  options.episodes = 2000;
  EXPECT_GT(evaluate(*model, *light_dark_expert(*model), options, pool).mean, 2);
}

}  // namespace
}  // namespace penumbra
