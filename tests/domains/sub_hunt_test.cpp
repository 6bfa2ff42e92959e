#include "domains/sub_hunt.h"

#include <gtest/gtest.h>

#include <cmath>

#include "penumbra/evaluate/score.h"
#include "yardsticks/sub_hunt_expert.h"

namespace penumbra {
namespace {

using State = SubHunt::State;

auto step(const SubHunt& m, State s, int action, uint64_t lane = 0) {
  Rng rng(RngKey::from_seed(1), lane);
  return m.step(s, action, rng);
}

TEST(SubHunt, TheTargetCrossesTheSea) {
  const State s{10, 10, 5, 1, SubHunt::kNorth, 0, 0};
  const State straight = SubHunt::target_after(s, 0), left = SubHunt::target_after(s, 1),
              right = SubHunt::target_after(s, 2);
  EXPECT_EQ(straight.target_x, 5);
  EXPECT_EQ(straight.target_y, 3);
  EXPECT_EQ(left.target_x, 4);
  EXPECT_EQ(left.target_y, 2);
  EXPECT_EQ(right.target_x, 6);
  EXPECT_EQ(right.target_y, 2);
  EXPECT_TRUE(SubHunt::at_goal(SubHunt::target_after({1, 1, 1, 2, SubHunt::kSouth, 0, 0}, 0)));
  EXPECT_FALSE(SubHunt::at_goal({1, 1, 1, 2, SubHunt::kSouth, 0, 0}));
}

TEST(SubHunt, OwnMovesGoThreeCellsAndStopAtTheEdge) {
  const State s{10, 19, 5, 5, SubHunt::kEast, 0, 0};
  EXPECT_EQ(SubHunt::own_after(s, SubHunt::kNorth).own_y, 20);
  EXPECT_EQ(SubHunt::own_after(s, SubHunt::kWest).own_x, 7);
  EXPECT_EQ(SubHunt::own_after(s, SubHunt::kPing).aware, 1);
  EXPECT_EQ(SubHunt::own_after(s, SubHunt::kEngage).own_x, 10);
}

TEST(SubHunt, WhatKnowsIsHarderToHit) {
  const SubHunt m{{}};
  const auto hit = step(m, {10, 10, 12, 10, SubHunt::kEast, 0, 0}, SubHunt::kEngage);
  EXPECT_EQ(hit.reward, 100);
  EXPECT_TRUE(m.is_terminal(hit.next));
  int hits = 0;
  for (int i = 0; i < 10'000; ++i)
    hits += step(m, {10, 10, 12, 10, SubHunt::kEast, 1, 0}, SubHunt::kEngage, i).next.killed;
  EXPECT_NEAR(hits / 1e4, 0.6, 0.03);
  EXPECT_EQ(step(m, {10, 10, 12, 11, SubHunt::kEast, 0, 0}, SubHunt::kEngage).reward, 0);
}

TEST(SubHunt, BeamsCoverTheirAngles) {
  EXPECT_EQ(SubHunt::beam_at(5, 1), 0);
  EXPECT_EQ(SubHunt::beam_at(1, 1), 0);  // 45 degrees belong to the first
  EXPECT_EQ(SubHunt::beam_at(0, 3), 1);
  EXPECT_EQ(SubHunt::beam_at(-2, 0), 3);
  EXPECT_EQ(SubHunt::beam_at(1, -1), 6);
  EXPECT_EQ(SubHunt::beam_at(4, 0), 7);  // 360 degrees, not 0
}

// Densities by hand: the beam of the target, and the others.
TEST(SubHunt, BeamsHearTheTarget) {
  const SubHunt m{{}};
  auto normal = [](double x, double mean, double deviation) {
    const double z = (x - mean) / deviation;
    return std::exp(-z * z / 2) / (deviation * std::sqrt(2 * M_PI));
  };
  SubHunt::Observation seen;
  seen.fill(19.5f);
  seen[0] = 5.2f;
  const State far{10, 10, 14, 13, SubHunt::kEast, 1, 0};  // 5 away
  EXPECT_NEAR(m.likelihood(seen, SubHunt::kPing, far),
              normal(5.2, 5, 0.5) * std::pow(normal(19.5, 20, 0.5), 7), 1e-9);
  EXPECT_NEAR(m.likelihood(seen, SubHunt::kNorth, far) /
                  (normal(5.2, 3, 5) * std::pow(normal(19.5, 3, 5), 7)),
              1, 1e-6);
  const State near{10, 10, 12, 11, SubHunt::kEast, 1, 0};
  EXPECT_NEAR(m.likelihood(seen, SubHunt::kNorth, near) /
                  (normal(5.2, std::sqrt(5), 0.5) * std::pow(normal(19.5, 3, 5), 7)),
              1, 1e-5);
}

TEST(SubHunt, TheTargetIsOnItsWayForTenToNineteenSteps) {
  const SubHunt m{{}};
  double total = 0;
  constexpr int kRuns = 4000;
  for (int i = 0; i < kRuns; ++i) {
    Rng rng(RngKey::from_seed(3), i);
    State s = m.sample_initial(rng);
    EXPECT_FALSE(m.is_terminal(s));
    int steps = 0;
    while (!m.is_terminal(s)) {
      s = m.step(s, SubHunt::kPing, rng).next;
      ++steps;
    }
    EXPECT_GE(steps, 10);
    EXPECT_LE(steps, 19);
    total += steps;
  }
  EXPECT_NEAR(total / kRuns, 12.9, 0.1);
}

TEST(SubHunt, KnownTargetsHaveTheirOptimum) {
  const SubHunt m{{}};
  EXPECT_FLOAT_EQ(m.mdp_value({10, 10, 12, 10, SubHunt::kEast, 0, 0}), 100);
  EXPECT_GT(m.mdp_value({10, 10, 12, 10, SubHunt::kEast, 1, 0}), 60);
  EXPECT_LT(m.mdp_value({10, 10, 12, 10, SubHunt::kEast, 1, 0}), 100);
  EXPECT_FLOAT_EQ(m.mdp_value({1, 1, 18, 20, SubHunt::kEast, 0, 0}), 0);  // too far
  // The same in every direction.
  EXPECT_FLOAT_EQ(m.mdp_value({10, 11, 1, 4, SubHunt::kEast, 0, 0}),
                  m.mdp_value({11, 11, 20, 4, SubHunt::kWest, 0, 0}));
  EXPECT_FLOAT_EQ(m.mdp_value({10, 11, 1, 4, SubHunt::kEast, 0, 0}),
                  m.mdp_value({11, 10, 4, 1, SubHunt::kNorth, 0, 0}));
}

TEST(SubHunt, TheExpertReachesWhatIsPublishedForPlanners) {
  const SubHunt m{{}};
  const auto model = adapt(m);
  ThreadPool pool(2);
  EvaluateOptions options;
  options.episodes = 1000;
  EXPECT_NEAR(evaluate(*model, SubHuntExpert(m), options, pool).mean, 86, 3);
}

}  // namespace
}  // namespace penumbra
