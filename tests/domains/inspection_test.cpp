#include "domains/inspection.h"

#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/evaluate/score.h"
#include "penumbra/policy/simple.h"
#include "yardsticks/inspection_expert.h"

namespace penumbra {
namespace {

using State = Inspection::State;
constexpr float kNorth = std::numbers::pi_v<float> / 2;

Outcome<State, Inspection::Observation> step(State s, int action, uint64_t lane = 0) {
  Rng rng(RngKey::from_seed(1), lane);
  return Inspection{}.step(s, action, rng);
}

TEST(Inspection, TheWayAheadEndsAtWallsAndClosedDoors) {
  struct Case {
    Inspection::Point from;
    float heading;
    unsigned open;
    float way;
  };
  const Case cases[] = {
      {{0.5f, 1}, 0, 0b111, 8.5},                        // along the corridor
      {{1.5f, 1}, kNorth, 0b001, 4},                     // through the first door to the far wall
      {{1.5f, 1}, kNorth, 0b110, 1},                     // the door is closed
      {{3, 1}, kNorth, 0b111, 1},                        // beside the doors
      {{1, 3.5f}, 0, 0b000, 8},                          // through both passages
      {{1, 4.5f}, 0, 0b000, 2},                          // beside them
      {{4.5f, 4}, -kNorth, 0b010, 4},                    // out by the second door
      {{0.5f, 1}, kNorth / 2, 0b111, std::sqrt(32.0f)},  // through a door and a passage
  };
  for (const Case& c : cases)
    EXPECT_NEAR(Inspection::free_way(c.from, c.heading, c.open), c.way, 1e-5);
}

TEST(Inspection, DrivesUpToAMetreAndStopsBeforeWalls) {
  for (int lane = 0; lane < 100; ++lane) {
    const auto out = step({1, 1, 0, 20, 0, 0, 0}, Inspection::kForward, lane);
    EXPECT_GE(out.next.x, 1.8f);
    EXPECT_LE(out.next.x, 2.0f);
    EXPECT_EQ(out.next.y, 1);
    EXPECT_NEAR(out.next.battery, 19, 0.6);
    EXPECT_NEAR(step({1.5f, 1.5f, kNorth, 20, 0, 0, 0}, Inspection::kForward, lane).next.y, 1.9f,
                1e-5);
    EXPECT_GT(step({1.5f, 1.5f, kNorth, 20, 1, 0, 0}, Inspection::kForward, lane).next.y, 2.2f);
  }
}

TEST(Inspection, TurnsAnEighth) {
  double left = 0, right = 0;
  for (int lane = 0; lane < 1000; ++lane) {
    left += step({1, 1, 0, 20, 0, 0, 0}, Inspection::kLeft, lane).next.heading / 1000;
    right += step({1, 1, 0, 20, 0, 0, 0}, Inspection::kRight, lane).next.heading / 1000;
  }
  EXPECT_NEAR(left, kNorth / 2, 0.01);
  EXPECT_NEAR(right, -kNorth / 2, 0.01);
}

TEST(Inspection, ReportsPayOnceWhereThereIsAFault) {
  const State at{4.5f, 4, 0, 20, 0, 0b010, 0};  // half a metre from the second place
  const auto found = step(at, Inspection::kReport);
  EXPECT_EQ(found.reward, 10);
  EXPECT_EQ(found.next.faulty, 0);
  EXPECT_EQ(step(found.next, Inspection::kReport).reward, -10);
  EXPECT_EQ(step({4.5f, 3, 0, 20, 0, 0b010, 0}, Inspection::kReport).reward, -10);  // too far
  EXPECT_EQ(step({4.5f, 3, 0, 20, 0, 0b010, 0}, Inspection::kReport).next.faulty, 0b010);
}

TEST(Inspection, EndsAtTheDockOrWithAnEmptyBattery) {
  const auto docked = step({1, 1, 0, 20, 0, 7, 0}, Inspection::kDock);
  EXPECT_TRUE(Inspection{}.is_terminal(docked.next));
  EXPECT_EQ(docked.reward, 0);
  EXPECT_FALSE(Inspection{}.is_terminal(step({3, 1, 0, 20, 0, 7, 0}, Inspection::kDock).next));
  const auto empty = step({3, 1, 0, 0.1f, 0, 7, 0}, Inspection::kForward);
  EXPECT_TRUE(Inspection{}.is_terminal(empty.next));
  EXPECT_EQ(empty.reward, -20);
}

TEST(Inspection, LooksTellMoreFromCloseBy) {
  const Inspection m;
  const auto close = m.signal(Inspection::kLook, {1.5f, 4.5f, 0, 20, 0, 1, 0});
  EXPECT_EQ(close.mean, 1);
  EXPECT_NEAR(close.deviation, 0.5, 1e-6);
  const auto far = m.signal(Inspection::kLook, {1.5f, 2.5f, 0, 20, 0, 0, 0});
  EXPECT_EQ(far.mean, -1);
  EXPECT_NEAR(far.deviation, 2, 1e-6);
  const auto beacon = m.signal(Inspection::kForward, {3.5f, 5, 0, 20, 0, 0, 0});
  EXPECT_NEAR(beacon.mean, 5, 1e-6);  // 3 to the east and 4 to the north of the dock
  EXPECT_NEAR(beacon.deviation, 0.3, 1e-6);
}

TEST(Inspection, TheUpperBoundCountsEveryFault) {
  const Inspection m;
  EXPECT_EQ(m.mdp_value({1.5f, 4.5f, 0, 20, 0, 0b001, 0}), 10);
  EXPECT_NEAR(m.mdp_value({1.5f, 4.5f, 0, 20, 0, 0b010, 0}), 10 * 0.98 * 0.98, 1e-9);
  EXPECT_EQ(m.mdp_value({1.5f, 4.5f, 0, 20, 0, 0b111, 1}), 0);
}

TEST(Inspection, BothPartsOfAnObservationAreClustered) {
  const auto model = load_finite_domain("inspection");
  EXPECT_EQ(model->facts().num_observations, 36);
  EXPECT_TRUE(model->has(Capability::kLikelihood));
}

TEST(Inspection, ItPaysToGoAndLook) {
  const auto model = adapt(Inspection{});
  ThreadPool pool(2);
  EvaluateOptions options;
  options.episodes = 150;
  EXPECT_LT(evaluate(*model, RandomPolicy(*model), options, pool).mean, -15);
  EXPECT_GT(evaluate(*model, InspectionExpert(Inspection{}), options, pool).mean, 4.5);
}

TEST(Inspection, DrawsTheBuilding) {
  EXPECT_EQ(Inspection{}.draw({4.5f, 3.5f, kNorth, 20, 0b010, 0b100, 0}),
            "#####################################\n"
            "#     o     #     o     #     !     #\n"
            "#           #           #           #\n"
            "#                 ^                 #\n"
            "#           #           #           #\n"
            "#           #           #           #\n"
            "#####===#########   #########===#####\n"
            "#                                   #\n"
            "# D                                 #\n"
            "#                                   #\n"
            "#####################################\n");
}

}  // namespace
}  // namespace penumbra
