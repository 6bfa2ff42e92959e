#include "domains/lidar_roomba.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "penumbra/base/error.h"

namespace penumbra {
namespace {

using State = Roomba::State;
using Action = Roomba::Action;
using Point = Roomba::Point;

constexpr float kPi = Roomba::kPi;

RoombaOptions with_config(int config) {
  RoombaOptions options;
  options.config = config;
  return options;
}
RoombaOptions with_quirks() {
  RoombaOptions options;
  options.quirks = true;
  return options;
}
Rng stream(uint64_t lane) {
  return Rng(RngKey::from_seed(1).fold("roomba"), lane);
}
std::unique_ptr<Pomdp> make(const std::string& spec) {
  Params params(Spec::parse(spec));
  auto model = make_lidar_roomba(params);
  params.finish();
  return model;
}
Action random_action(const Roomba& model, Rng& rng) {
  return {static_cast<float>(rng.uniform(0, model.options().v_max)),
          static_cast<float>(rng.uniform(-1, 1))};
}

// From p to the nearest of the walls, written out one by one.
double wall_distance(Point p) {
  constexpr double kWalls[6][4] = {{-25, -20, -25, 5}, {-25, 5, 15, 5},     {15, -5, 15, 5},
                                   {-15, -5, 15, -5},  {-15, -20, -15, -5}, {-25, -20, -15, -20}};
  double nearest = HUGE_VAL;
  for (const auto& [x1, y1, x2, y2] : kWalls)
    nearest = std::min(nearest, std::hypot(p.x - std::clamp<double>(p.x, x1, x2),
                                           p.y - std::clamp<double>(p.y, y1, y2)));
  return nearest;
}

TEST(LidarRoomba, StartsInEachRectangleByItsArea) {
  const LidarRoomba model{RoombaOptions{}};
  constexpr int kSamples = 200'000;
  double count[4] = {};
  for (int i = 0; i < kSamples; ++i) {
    Rng rng = stream(i);
    const State s = model.sample_initial(rng);
    ++count[s.x > 10 ? 3 : s.x > -15 ? 2 : s.y > -5 ? 1 : 0];
  }
  const double expected[4] = {.2684, .1856, .4627, .0833};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(count[i] / kSamples, expected[i], 0.004) << i;
}

TEST(LidarRoomba, StartsInTheRoomFacingAnyWay) {
  const LidarRoomba model{RoombaOptions{}};
  double mean_cos = 0, mean_sin = 0;
  for (int i = 0; i < 20'000; ++i) {
    Rng rng = stream(i);
    const State s = model.sample_initial(rng);
    ASSERT_TRUE(model.is_free({s.x, s.y}));
    ASSERT_GE(wall_distance({s.x, s.y}), 0.5 - 1e-5);
    ASSERT_EQ(s.status, 0);
    mean_cos += std::cos(s.theta) / 20'000;
    mean_sin += std::sin(s.theta) / 20'000;
  }
  EXPECT_NEAR(mean_cos, 0, 0.02);
  EXPECT_NEAR(mean_sin, 0, 0.02);
}

TEST(LidarRoomba, RaysReachTheNearestWall) {
  const LidarRoomba model{RoombaOptions{}};
  EXPECT_FLOAT_EQ(model.ray_length({0, 0, 0, 0}), 15);
  EXPECT_NEAR(model.ray_length({0, 0, kPi, 0}), 25, 1e-4);
  EXPECT_NEAR(model.ray_length({0, 0, kPi / 4, 0}), 5 * std::numbers::sqrt2, 1e-5);
  EXPECT_NEAR(model.ray_length({0, 0, -kPi / 2, 0}), 5, 1e-5);
  EXPECT_NEAR(model.ray_length({-20, -12, 0, 0}), 5, 1e-5);         // the arm's right wall
  EXPECT_NEAR(model.ray_length({-20, 0, -kPi / 2, 0}), 20, 1e-4);   // down the arm
  EXPECT_NEAR(model.ray_length({-20, -12, kPi / 2, 0}), 17, 1e-4);  // up the arm
}

TEST(LidarRoomba, RaysPassOrMeetTheCorner) {
  const LidarRoomba model{RoombaOptions{}};
  // From (-20,-9) at 45 degrees: over the corner by one metre, up to the top wall.
  EXPECT_NEAR(model.ray_length({-20, -9, kPi / 4, 0}), 14 * std::numbers::sqrt2, 1e-4);
  // One metre below the corner.
  EXPECT_NEAR(model.ray_length({-20, -11, kPi / 4, 0}), 5 * std::numbers::sqrt2, 1e-5);
  // From the corridor down and left: past the corner to the left wall, and on the lower wall.
  EXPECT_NEAR(model.ray_length({-10, 4, -3 * kPi / 4, 0}), 15 * std::numbers::sqrt2, 1e-4);
  EXPECT_NEAR(model.ray_length({-9, 0, -3 * kPi / 4, 0}), 5 * std::numbers::sqrt2, 1e-5);
}

TEST(LidarRoomba, StopsWhereItTouchesAWall) {
  const LidarRoomba model{RoombaOptions{}};
  EXPECT_FLOAT_EQ(model.drive({13, 0}, {1, 0}, 2.5f).x, 14.5f);
  EXPECT_FLOAT_EQ(model.drive({0, 3}, {0, 1}, 2.5f).y, 4.5f);
  EXPECT_FLOAT_EQ(model.drive({0, -3}, {0, -1}, 2.5f).y, -4.5f);
  EXPECT_FLOAT_EQ(model.drive({-16.5f, -10}, {1, 0}, 2.5f).x, -15.5f);
  const Point slanted = model.drive({0, 3}, {0.6f, 0.8f}, 2.5f);
  EXPECT_NEAR(slanted.x, 1.125, 1e-5);
  EXPECT_NEAR(slanted.y, 4.5, 1e-5);
}

TEST(LidarRoomba, StopsAtTheRoundedCorner) {
  const LidarRoomba model{RoombaOptions{}};
  // Straight at the corner: the disc stops with its centre half a metre away.
  const float h = std::numbers::sqrt2_v<float> / 2;
  const Point straight = model.drive({-16, -4}, {h, -h}, 2.5f);
  EXPECT_NEAR(straight.x, -15 - 0.5 * h, 1e-5);
  EXPECT_NEAR(straight.y, -5 + 0.5 * h, 1e-5);
  EXPECT_TRUE(model.touches(straight));
  // Eastwards 0.3 m above the wall's top edge: sqrt(0.5^2 - 0.3^2) = 0.4 before the corner.
  EXPECT_NEAR(model.drive({-17, -4.7f}, {1, 0}, 2.5f).x, -15.4, 1e-5);
}

TEST(LidarRoomba, StoppingAgreesWithWallDistancesEverywhere) {
  const LidarRoomba model{RoombaOptions{}};
  for (int i = 0; i < 20'000; ++i) {
    Rng rng = stream(i);
    const State s = model.sample_initial(rng);
    const Point h{std::cos(s.theta), std::sin(s.theta)}, p{s.x, s.y};
    const float distance = static_cast<float>(rng.uniform(0, 12));
    const Point end = model.drive(p, h, distance);
    const float driven = std::hypot(end.x - p.x, end.y - p.y);
    for (int k = 0; k <= 20; ++k) {
      const float t = driven * static_cast<float>(k) / 20;
      ASSERT_GE(wall_distance({p.x + t * h.x, p.y + t * h.y}), 0.5 - 2 * Roomba::kTouch) << i;
    }
    ASSERT_TRUE(wall_distance(end) <= 0.5 + Roomba::kTouch || std::abs(driven - distance) < 1e-4);
    ASSERT_EQ(model.touches(end), wall_distance(end) <= 0.5 + Roomba::kTouch) << i;
  }
}

TEST(LidarRoomba, TurnsBeforeItDrivesAndWrapsItsHeading) {
  const LidarRoomba model{RoombaOptions{}};
  const State s = model.move({0, 0, 3, 0}, {2, 1}).next;
  EXPECT_NEAR(s.theta, 3.5 - 2 * std::numbers::pi, 1e-6);
  EXPECT_NEAR(s.x, std::cos(3.5), 1e-6);
  EXPECT_NEAR(s.y, std::sin(3.5), 1e-6);
}

TEST(LidarRoomba, ClampsActions) {
  const LidarRoomba model{RoombaOptions{}};
  EXPECT_EQ(model.move({0, 0, 0, 0}, {99, -99}).next, model.move({0, 0, 0, 0}, {5, -1}).next);
  EXPECT_EQ(model.move({0, 0, 0, 0}, {-3, 0}).next, (State{0, 0, 0, 0}));
}

TEST(LidarRoomba, ArrivingIsChargedAsContact) {
  const LidarRoomba model{RoombaOptions{}};
  const auto goal = model.move({13, 0, 0, 0}, {5, 0});
  EXPECT_EQ(goal.next.status, 1);
  EXPECT_NEAR(goal.reward, 8.9, 1e-5);
  const auto stairs = model.move({-23, 0, kPi, 0}, {5, 0});
  EXPECT_EQ(stairs.next.status, -1);
  EXPECT_NEAR(stairs.reward, -11.1, 1e-5);
}

TEST(LidarRoomba, ArrivingAlongAWallIsNotChargedAgain) {
  const LidarRoomba model{RoombaOptions{}};
  EXPECT_NEAR(model.move({13, 4.5f, 0, 0}, {5, 0}).reward, 9.9, 1e-5);
  EXPECT_NEAR(model.move({-23, 4.5f, kPi, 0}, {5, 0}).reward, -10.1, 1e-5);
}

TEST(LidarRoomba, TerminalContactCanBeFree) {
  RoombaOptions options;
  options.terminal_contact = false;
  const LidarRoomba model{options};
  EXPECT_NEAR(model.move({13, 0, 0, 0}, {5, 0}).reward, 9.9, 1e-5);
  EXPECT_NEAR(model.move({-23, 0, kPi, 0}, {5, 0}).reward, -10.1, 1e-5);
  EXPECT_NEAR(model.move({0, 3, kPi / 2, 0}, {5, 0}).reward, -1.1, 1e-5);
}

TEST(LidarRoomba, ContactIsChargedOnce) {
  const LidarRoomba model{RoombaOptions{}};
  const auto first = model.move({0, 3, kPi / 2, 0}, {5, 0});
  EXPECT_NEAR(first.reward, -1.1, 1e-5);
  const auto second = model.move(first.next, {5, 0});
  EXPECT_NEAR(second.reward, -0.1, 1e-6);
  EXPECT_EQ(second.next, first.next);
}

TEST(LidarRoomba, ConfigurationsPlaceGoalAndStairs) {
  const State right{13, 0, 0, 0}, left{-23, 0, kPi, 0}, bottom{-20, -18, -kPi / 2, 0};
  const State lower_right{12, -3, -kPi / 2, 0}, lower_middle{9, -3, -kPi / 2, 0};
  const int expected[3][5] = {{1, 0, 0, -1, 0}, {0, -1, 1, 0, 0}, {1, -1, 0, 0, 0}};
  for (int config = 1; config <= 3; ++config) {
    const LidarRoomba model{with_config(config)};
    int i = 0;
    for (const State& s : {right, left, bottom, lower_right, lower_middle})
      EXPECT_EQ(model.move(s, {5, 0}).next.status, expected[config - 1][i++]) << config << i;
  }
}

TEST(LidarRoomba, OnlyTheUpperPartOfTheLeftWallIsStairs) {
  const LidarRoomba model{RoombaOptions{}};
  EXPECT_EQ(model.move({-23, -4.9f, kPi, 0}, {5, 0}).next.status, -1);
  EXPECT_EQ(model.move({-23, -5.1f, kPi, 0}, {5, 0}).next.status, 0);
}

TEST(LidarRoomba, QuirkCornersOfTheGoalWallDoNotEnd) {
  const LidarRoomba right{RoombaOptions{}}, original{with_quirks()};
  for (float y : {4.5f, -4.5f}) {
    EXPECT_EQ(right.move({13.8f, y, 0, 0}, {5, 0}).next.status, 1);
    EXPECT_EQ(original.move({13.8f, y, 0, 0}, {5, 0}).next.status, 0);
  }
  EXPECT_EQ(original.move({13, 0, 0, 0}, {5, 0}).next.status, 1);
}

TEST(LidarRoomba, QuirkCornerIsTooWideAndNotAContact) {
  const LidarRoomba original{with_quirks()};
  const Point end = original.drive({-17, -4.7f}, {1, 0}, 2.5f);
  EXPECT_NEAR(end.x, -15 - std::sqrt(0.5 - 0.09), 1e-5);
  EXPECT_FALSE(original.touches(end));
}

TEST(LidarRoomba, QuirkJointBehindTheRobotHoldsIt) {
  // Two walls meet at (-15,5). Just past it, next to the wall and facing it a little.
  const Point p{-14.5f, 4.45f}, h{0.9987503f, 0.0499792f};
  const LidarRoomba right{RoombaOptions{}}, original{with_quirks()};
  EXPECT_GT(right.drive(p, h, 2.5f).x, p.x + 0.9f);
  EXPECT_FLOAT_EQ(original.drive(p, h, 2.5f).x, p.x);
}

TEST(LidarRoomba, QuirksAgreeAwayFromCorners) {
  const LidarRoomba right{RoombaOptions{}}, original{with_quirks()};
  for (const State& s : {State{13, 0, 0.2f, 0}, State{0, 3, 1, 0}, State{-23, 0, 3, 0},
                         State{-20, -18, -2, 0}, State{0, -3, -1, 0}, State{-17, -12, 0.1f, 0}}) {
    const auto a = right.move(s, {5, 0.5f}), b = original.move(s, {5, 0.5f});
    EXPECT_NEAR(a.next.x, b.next.x, 1e-5);
    EXPECT_NEAR(a.next.y, b.next.y, 1e-5);
    EXPECT_EQ(a.next.status, b.next.status);
    EXPECT_EQ(a.reward, b.reward);
  }
}

TEST(LidarRoomba, LidarDensityIntegratesToItsCumulative) {
  RoombaOptions options;
  for (double ray_stdev : {0.1, 0.8}) {  // at 0.8 a tenth of the normal is cut off
    options.ray_stdev = ray_stdev;
    const LidarRoomba model{options};
    const State s{10, 1, 0, 0};  // five metres ahead
    double mass = 0;
    for (int i = 0; i < 40'000; ++i) {
      const float o = static_cast<float>(0.001 * (i + 0.5));
      if (i % 1000 == 0) {
        ASSERT_NEAR(model.cumulative(static_cast<float>(0.001 * i), {}, s), mass, 1e-5);
      }
      mass += 0.001 * model.likelihood(o, {}, s);
    }
    EXPECT_NEAR(mass, 1, 1e-4);
    EXPECT_EQ(model.likelihood(-1, {}, s), 0);
  }
}

TEST(LidarRoomba, LidarDrawsFollowTheCumulative) {
  RoombaOptions options;
  options.ray_stdev = 0.8;
  const LidarRoomba model{options};
  const State s{10, 1, 0, 0};
  double mean = 0;  // of the cumulative at the draws: uniform on [0, 1]
  double square = 0;
  for (int i = 0; i < 50'000; ++i) {
    Rng rng = stream(i);
    const float o = model.step(s, {0, 0}, rng).seen;
    ASSERT_GE(o, 0);
    const double u = model.cumulative(o, {}, s);
    mean += u / 50'000;
    square += u * u / 50'000;
  }
  EXPECT_NEAR(mean, 1.0 / 2, 0.005);
  EXPECT_NEAR(square, 1.0 / 3, 0.005);
}

TEST(LidarRoomba, BumperTellsContact) {
  const BumperRoomba model{RoombaOptions{}};
  Rng rng = stream(0);
  const auto bump = model.step({0, 3, kPi / 2, 0}, {5, 0}, rng);
  EXPECT_EQ(bump.seen, 1);
  EXPECT_EQ(model.step({0, 0, 0, 0}, {5, 0}, rng).seen, 0);
  EXPECT_EQ(model.likelihood(1, {}, bump.next), 1);
  EXPECT_EQ(model.likelihood(0, {}, bump.next), 0);
}

TEST(LidarRoomba, NeverLeavesTheRoomNorItsRewardRange) {
  for (const RoombaOptions& options : {with_config(1), with_config(2), with_config(3)}) {
    const LidarRoomba model{options};
    const Facts facts = model.facts();
    for (int episode = 0; episode < 300; ++episode) {
      Rng rng = stream(episode);
      State s = model.sample_initial(rng);
      for (int t = 0; t < 100 && !model.is_terminal(s); ++t) {
        const auto out = model.step(s, random_action(model, rng), rng);
        s = out.next;
        ASSERT_GE(wall_distance({s.x, s.y}), 0.5 - 2 * Roomba::kTouch);
        ASSERT_TRUE(model.is_free({s.x, s.y}) && std::abs(s.theta) <= kPi);
        ASSERT_TRUE(out.reward >= facts.min_reward && out.reward <= facts.max_reward);
      }
    }
  }
}

TEST(LidarRoomba, QuirksNeverLeaveTheRoomEither) {
  const LidarRoomba model{with_quirks()};
  for (int episode = 0; episode < 300; ++episode) {
    Rng rng = stream(episode);
    State s = model.sample_initial(rng);
    for (int t = 0; t < 100 && !model.is_terminal(s); ++t) {
      s = model.step(s, random_action(model, rng), rng).next;
      ASSERT_TRUE(s.x >= -24.501 && s.x <= 14.501 && s.y >= -19.501 && s.y <= 4.501);
      ASSERT_TRUE(s.x <= -14.999 || s.y >= -4.501);
    }
  }
}

TEST(LidarRoomba, UpperBoundIsReachedWhenFacingTheGoal) {
  const LidarRoomba model{RoombaOptions{}};
  State s{0, 0, 0, 0};
  const double bound = model.mdp_value(s);
  double value = 0;
  for (double weight = 1; !model.is_terminal(s); weight *= 0.95) {
    const auto m = model.move(s, {5, 0});
    value += weight * m.reward;
    s = m.next;
  }
  EXPECT_NEAR(bound, value, 1e-5);
  EXPECT_EQ(model.mdp_value(s), 0);
}

TEST(LidarRoomba, UpperBoundHoldsAlongRandomPaths) {
  // r + gamma V(s') <= V(s) for every step: the bound is one of the MDP, by induction.
  for (RoombaOptions options : {with_config(1), with_config(2), with_config(3), with_quirks()}) {
    for (bool charged : {true, false}) {
      options.terminal_contact = charged;
      const LidarRoomba model{options};
      for (int i = 0; i < 5000; ++i) {
        Rng rng = stream(i);
        State s = model.sample_initial(rng);
        for (int t = 0; t < 5 && !model.is_terminal(s); ++t) {
          const auto m = model.move(s, random_action(model, rng));
          ASSERT_LE(m.reward + 0.95 * model.mdp_value(m.next), model.mdp_value(s) + 1e-5) << i;
          s = m.next;
        }
      }
    }
  }
}

TEST(LidarRoomba, PerturbedRobotsStayInTheRoomNearby) {
  const LidarRoomba model{RoombaOptions{}};
  double moved = 0;
  for (int i = 0; i < 20'000; ++i) {
    Rng rng = stream(i);
    const State s = model.sample_initial(rng), p = model.perturb(s, rng);
    ASSERT_TRUE(model.is_free({p.x, p.y}));
    ASSERT_EQ(p.status, 0);
    ASSERT_TRUE(p.x < 14.5f - Roomba::kTouch);  // not at the goal
    moved += std::hypot(p.x - s.x, p.y - s.y) / 20'000;
  }
  EXPECT_NEAR(moved, 0.2 * std::sqrt(std::numbers::pi / 2), 0.01);
  Rng rng = stream(0);
  EXPECT_EQ(model.perturb({14.5f, 0, 0, 1}, rng), (State{14.5f, 0, 0, 1}));
}

TEST(LidarRoomba, CoordinatesGoThereAndBack) {
  const LidarRoomba model{RoombaOptions{}};
  const State s{-20, -12, 1, 0};
  EXPECT_EQ(model.from_coordinates(model.coordinates(s)), s);
  for (int i = 0; i < 5000; ++i) {
    Rng rng = stream(i);
    const State near = model.from_coordinates({static_cast<float>(rng.uniform(-30, 20)),
                                               static_cast<float>(rng.uniform(-25, 10)),
                                               static_cast<float>(rng.uniform(-9, 9))});
    ASSERT_TRUE(model.is_free({near.x, near.y})) << near.x << " " << near.y;
    ASSERT_EQ(model.move(near, {0, 0}).next.status, 0);
    ASSERT_LE(std::abs(near.theta), kPi);
  }
}

TEST(LidarRoomba, FeaturesAreScaled) {
  const LidarRoomba model{RoombaOptions{}};
  FeatureBatch batch(model.features(), 1);
  for (int i = 0; i < 2000; ++i) {
    Rng rng = stream(i);
    model.encode(model.sample_initial(rng), batch.row(0));
    for (float value : batch.dense()) ASSERT_LE(std::abs(value), 2.5f);
  }
}

TEST(LidarRoomba, RawFeaturesAreTheState) {
  auto model = make("lidar-roomba(features=raw)");
  ASSERT_EQ(model->features().num_dense, 4);
  FeatureBatch batch(model->features(), 1);
  const State s{1, 2, 3, 0};
  model->encode({reinterpret_cast<const std::byte*>(&s), sizeof s, 1}, batch, 0);
  EXPECT_EQ(std::vector<float>(batch.dense().begin(), batch.dense().end()),
            (std::vector<float>{1, 2, 3, 0}));
}

TEST(LidarRoomba, StepIsAFunctionOfStateActionAndStream) {
  const LidarRoomba model{RoombaOptions{}};
  for (int i = 0; i < 100; ++i) {
    Rng a = stream(i), b = stream(i);
    const auto first = model.step(model.sample_initial(a), {3, 0.5f}, a);
    const auto second = model.step(model.sample_initial(b), {3, 0.5f}, b);
    EXPECT_EQ(first.next, second.next);
    EXPECT_EQ(first.seen, second.seen);
  }
}

TEST(LidarRoomba, ActionTables) {
  auto nine = make("lidar-roomba");
  EXPECT_EQ(nine->facts().name, "lidar-roomba");
  EXPECT_EQ(nine->facts().num_actions, 9);
  EXPECT_EQ(nine->facts().action_name(7), "fast");
  auto many = make("lidar-roomba(actions=33)");
  EXPECT_EQ(many->facts().num_actions, 33);
  EXPECT_EQ(many->facts().action_name(22), "v4w-1");
  auto free = make("lidar-roomba(actions=continuous)");
  EXPECT_EQ(free->facts().num_actions, 0);
  EXPECT_EQ(free->facts().action_high, (std::vector<float>{5, 1}));
}

TEST(LidarRoomba, TableActionsDriveTheRobot) {
  auto model = make("lidar-roomba");
  StepBuffers out(*model, 1);
  const State s{0, 0, 0, 0};
  const int slow_left = 5;  // 2.5 m/s and 1 rad/s for half a second
  model->step({reinterpret_cast<const std::byte*>(&s), sizeof s, 1}, std::span(&slow_left, 1),
              Streams{RngKey::from_seed(1)}, out.results(1));
  EXPECT_NEAR(out.next.as<State>(0).x, 1.25 * std::cos(0.5), 1e-6);
  EXPECT_NEAR(out.next.as<State>(0).theta, 0.5, 1e-6);
}

TEST(LidarRoomba, BumperHasTwoObservations) {
  auto model = make("lidar-roomba(sensor=bumper,config=1)");
  EXPECT_EQ(model->facts().num_observations, 2);
  EXPECT_EQ(model->facts().name, "lidar-roomba(sensor=bumper,config=1)");
  EXPECT_FALSE(model->has(Capability::kCumulative));
}

TEST(LidarRoomba, RefusesWhatItDoesNotKnow) {
  EXPECT_THROW(make("lidar-roomba(config=4)"), Error);
  EXPECT_THROW(make("lidar-roomba(actions=10)"), Error);
  EXPECT_THROW(make("lidar-roomba(vmax=2)"), Error);
  EXPECT_THROW(make("lidar-roomba(ray_stdev=nan)"), Error);
}

TEST(LidarRoomba, DrawsTheRoom) {
  const LidarRoomba model{RoombaOptions{}};
  EXPECT_EQ(model.draw({0, 0, 0, 0}),
            "##################################\n"
            "S................................G\n"
            "S................................G\n"
            "S....................→...........G\n"
            "S................................G\n"
            "#........#########################\n"
            "#........#\n"
            "#........#\n"
            "#........#\n"
            "#........#\n"
            "#........#\n"
            "##########\n");
  EXPECT_EQ(model.describe_state({0, 0, 0, 0}), "x=0.00 y=0.00 heading=0");
}

}  // namespace
}  // namespace penumbra
