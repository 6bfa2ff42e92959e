#include "domains/lunar_lander.h"

#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/base/error.h"
#include "penumbra/evaluate/score.h"
#include "yardsticks/lunar_lander_expert.h"

namespace penumbra {
namespace {

using State = LunarLander::State;

Outcome<State, LunarLander::Observation> step(const LunarLander& m, State s, LunarLander::Action a,
                                              uint64_t lane = 0) {
  Rng rng(RngKey::from_seed(1), lane);
  return m.step(s, a, rng);
}

LunarLander exact() {  // moves without noise
  LunarLander m;
  m.speed_noise = m.turn_noise = 0;
  return m;
}

TEST(LunarLander, MovesAsTheReference) {
  const State to = step(exact(), {1, 20, 0.1f, 0.5f, -6, 0.02f}, {2, 12, -0.5f}).next;
  EXPECT_NEAR(to.x, 1.2, 1e-5);
  EXPECT_NEAR(to.z, 17.6, 1e-5);
  EXPECT_NEAR(to.lean, 0.108, 1e-6);
  EXPECT_NEAR(to.vx, 0.81680, 1e-5);
  EXPECT_NEAR(to.vz, -4.74411, 1e-5);
  EXPECT_NEAR(to.turn_rate, 0.06, 1e-6);
}

TEST(LunarLander, ThrustsAreKeptInTheirBox) {
  const State s{0, 20, 0, 0, -6, 0};
  EXPECT_EQ(exact().moved(s, {99, 99, -9}).vz, exact().moved(s, {5, 15, -1}).vz);
  EXPECT_EQ(exact().moved(s, {99, 99, -9}).turn_rate, exact().moved(s, {5, 15, -1}).turn_rate);
}

TEST(LunarLander, LandsCrashesOrGoesOn) {
  const LunarLander m = exact();
  const auto landed = step(m, {2, 1.5f, 0, 0, -2, 0}, {0, 9, 0});
  EXPECT_TRUE(m.is_terminal(landed.next));
  EXPECT_NEAR(landed.reward, 100 - 2 - 4, 1e-4);
  const auto aside = step(m, {14.9f, 30, 0, 1, -2, 0}, {0, 9, 0});
  EXPECT_TRUE(m.is_terminal(aside.next));
  EXPECT_EQ(aside.reward, -1000);
  EXPECT_EQ(step(m, {0, 1.5f, 0.49f, 0, -2, 0.1f}, {0, 9, 0}).reward, -1000);  // leans, and lands
  EXPECT_EQ(step(m, {0, 20, 0, 0, -2, 0}, {0, 9, 0}).reward, -1);
  EXPECT_EQ(step(m, {0, 20, 0, 0, -60, 0}, {0, 0, 0}).reward, -1000);  // no worse than a crash
}

TEST(LunarLander, HearsHeightAlongItsAxisTurningAndSidewaysSpeed) {
  const LunarLander m = exact();
  const State s{0, 30, 0.3f, 1, -5, 0.05f};
  const State next = m.moved(s, {0, 9, 0});
  const double mean[] = {next.z / std::cos(next.lean), next.turn_rate, next.vx};
  const double deviation[] = {1, 0.01, 0.1};
  double squares[3] = {};
  for (int i = 0; i < 4000; ++i) {
    const auto seen = step(m, s, {0, 9, 0}, i).seen;
    for (int c = 0; c < 3; ++c) squares[c] += std::pow(seen[c] - mean[c], 2) / 4000;
  }
  for (int c = 0; c < 3; ++c) EXPECT_NEAR(std::sqrt(squares[c]) / deviation[c], 1, 0.06);
}

TEST(LunarLander, TheUpperBoundIsAboveTheBestAndFarBelowTheReward) {
  const LunarLander m;
  const double start = m.mdp_value({0, 50, 0, 0, -10, 0});
  EXPECT_GT(start, 70);
  EXPECT_LT(start, 90);
  EXPECT_NEAR(m.mdp_value({0, 1.1f, 0, 0, -0.5f, 0}), 100, 1);  // it lands with the next step
  EXPECT_EQ(m.mdp_value({0, 0.5f, 0, 0, -0.5f, 0}), 0);
  // Too fast to be stopped.
  EXPECT_LT(m.mdp_value({0, 10, 0, 0, -25, 0}), 0);
}

TEST(LunarLander, TheTableHasNoActionTwice) {
  const auto model = load_domain("lunar-lander(actions=35)");
  EXPECT_EQ(model->facts().num_actions, 35);
  EXPECT_EQ(model->facts().action_name(0), "F-2T0d-1");
  EXPECT_THROW(load_domain("lunar-lander(actions=36)"), Error);
  const auto finite = load_finite_domain("lunar-lander(actions=35)");
  EXPECT_EQ(finite->facts().num_observations, 48);  // 4 x 4 x 3 boxes
  EXPECT_TRUE(finite->has(Capability::kLikelihood));
}

TEST(LunarLander, TheExpertLands) {
  const auto model = adapt(LunarLander{});
  ThreadPool pool(2);
  EvaluateOptions options;
  options.episodes = 300;
  EXPECT_GT(evaluate(*model, LunarLanderExpert(LunarLander{}), options, pool).mean, 55);
}

}  // namespace
}  // namespace penumbra
