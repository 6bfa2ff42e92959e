#include "domains/rover.h"

#include <gtest/gtest.h>

#include "penumbra/evaluate/score.h"
#include "yardsticks/rover_expert.h"

namespace penumbra {
namespace {

using State = Rover::State;

Rover still() {  // moves are exact
  Rover m;
  m.noise = 0;
  return m;
}

Outcome<State, int> step(const Rover& m, State s, int action, uint64_t lane = 0) {
  Rng rng(RngKey::from_seed(1), lane);
  return m.step(s, action, rng);
}

// Where it goes and what it sees, by hand.
TEST(Rover, MovesTouchesWallsAndPassesDoors) {
  struct Case {
    State from;
    int action;
    State to;
    int seen;
  };
  const Case cases[] = {
      {{1, 2, 0, 0}, Rover::kNorth, {1, 3, 0, 0}, 0},
      {{1, 2, 1, 0}, Rover::kEast, {2, 2, 1, 0}, 2},
      {{1, 3.5f, 1, 0}, Rover::kNorth, {1, 4, 1, 0}, 3},       // the north wall
      {{3.5f, 3.5f, 0, 0}, Rover::kEast, {4, 3.5f, 0, 0}, 1},  // beside the door
      {{3.5f, 2, 0, 0}, Rover::kEast, {0.5f, 2, 1, 0}, 2},     // through it
      {{0.5f, 2, 1, 0}, Rover::kWest, {3.5f, 2, 0, 0}, 0},     // and back
      {{0.5f, 2, 0, 0}, Rover::kWest, {0, 2, 0, 0}, 1},        // the first room has no way back
  };
  for (const Case& c : cases) {
    const auto out = step(still(), c.from, c.action);
    EXPECT_EQ(out.next.x, c.to.x);
    EXPECT_EQ(out.next.y, c.to.y);
    EXPECT_EQ(out.next.room, c.to.room);
    EXPECT_EQ(out.seen, c.seen);
    EXPECT_EQ(out.reward, 0);
  }
}

TEST(Rover, LeavesByTheLastDoor) {
  const auto out = step(still(), {3.5f, 2, 2, 0}, Rover::kEast);
  EXPECT_TRUE(Rover{}.is_terminal(out.next));
  EXPECT_EQ(out.reward, 10);
}

TEST(Rover, AStoneIsPickedUpOnceAndFromCloseBy) {
  const State near{1, 3, 0, 1};  // the stone is at (1, 3.5)
  EXPECT_EQ(step(still(), near, Rover::kPick).reward, 10);
  EXPECT_EQ(step(still(), near, Rover::kPick).next.good, 0);
  EXPECT_EQ(step(still(), {1, 3, 0, 0}, Rover::kPick).reward, -10);
  EXPECT_EQ(step(still(), {1, 2, 0, 1}, Rover::kPick).reward, -1);
  EXPECT_EQ(step(still(), {1, 2, 0, 1}, Rover::kPick).next.good, 1);
}

TEST(Rover, ChecksAreRightAsOftenAsTheDistanceSays) {
  const Rover m = still();
  const State s{1, 2.5f, 0, 1};  // one away: half of what a check tells is lost
  EXPECT_NEAR(m.accuracy(s), 0.75, 1e-6);
  int right = 0;
  for (int i = 0; i < 10'000; ++i) right += step(m, s, Rover::kCheck, i).seen == m.seen_good();
  EXPECT_NEAR(right / 1e4, 0.75, 0.02);
  EXPECT_NEAR(m.likelihood(m.seen_good(), Rover::kCheck, s), 0.75, 1e-6);
}

TEST(Rover, TheExpertGainsMoreThanTheWayOut) {
  const auto model = adapt(Rover{});
  ThreadPool pool(2);
  EvaluateOptions options;
  options.episodes = 5000;
  EXPECT_GT(evaluate(*model, RoverExpert(Rover{}), options, pool).mean, 6.5);
}

}  // namespace
}  // namespace penumbra
