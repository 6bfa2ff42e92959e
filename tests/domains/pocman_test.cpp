#include "domains/pocman.h"

#include <gtest/gtest.h>

#include <bit>

#include "penumbra/evaluate/score.h"
#include "yardsticks/pocman_expert.h"

namespace penumbra {
namespace {

using State = PocMan::State;

PocMan full() {
  PocMan::Options o;
  o.maze = PocMan::full_maze();
  return PocMan(o);
}
PocMan micro() {
  PocMan::Options o;
  o.maze = PocMan::micro_maze();
  return PocMan(o);
}
Outcome<State, int> step(const PocMan& m, State s, int action, uint64_t lane = 0) {
  Rng rng(RngKey::from_seed(1), lane);
  return m.step(s, action, rng);
}
uint8_t cell(const PocMan& m, int x, int y) {
  return static_cast<uint8_t>(m.cell_at(x, y));
}
void put_food(const PocMan& m, State& s, int x, int y) {
  const int food = m.food_at(m.cell_at(x, y));
  s.food[food / 32] |= 1u << food % 32;
}
// PocMan at (x, y), all ghosts far away in a corner, food in the opposite one.
State quiet(const PocMan& m, int x, int y) {
  State s{};
  s.at = cell(m, x, y);
  s.ghost.fill(cell(m, 16, 18));
  s.direction.fill(-1);
  put_food(m, s, 0, 0);
  return s;
}

TEST(PocMan, TheMazeIsTheOneOfThePrograms) {
  const PocMan m = full();
  EXPECT_EQ(m.num_cells(), 189);
  EXPECT_EQ(m.num_food(), 157);
  int pills = 0;
  for (int c = 0; c < m.num_cells(); ++c) pills += m.is_pill(c);
  EXPECT_EQ(pills, 4);
  double food = 0;
  for (int i = 0; i < 2000; ++i) {
    Rng rng(RngKey::from_seed(4), i);
    for (uint32_t word : m.sample_initial(rng).food) food += std::popcount(word);
  }
  EXPECT_NEAR(food / 2000, 80.5, 0.6);
}

TEST(PocMan, StartsWithTheGhostsAtHome) {
  const PocMan m = full();
  Rng rng(RngKey::from_seed(1), 0);
  const State s = m.sample_initial(rng);
  EXPECT_EQ(s.at, cell(m, 8, 6));
  const int x[] = {8, 9, 8, 9}, y[] = {10, 10, 11, 11};
  for (int g = 0; g < 4; ++g) EXPECT_EQ(s.ghost[g], cell(m, x[g], y[g]));
}

TEST(PocMan, WallsHurtAndTheMiddleRowWrapsAround) {
  const PocMan m = full();
  const auto bump = step(m, quiet(m, 0, 2), PocMan::kWest);
  EXPECT_EQ(bump.reward, -26);
  EXPECT_EQ(bump.next.at, cell(m, 0, 2));
  const auto around = step(m, quiet(m, 0, 10), PocMan::kWest);
  EXPECT_EQ(around.reward, -1);
  EXPECT_EQ(around.next.at, cell(m, 16, 10));
}

TEST(PocMan, EatsAndSmells) {
  const PocMan m = full();
  State s = quiet(m, 3, 6);
  put_food(m, s, 4, 6);
  const auto out = step(m, s, PocMan::kEast);
  EXPECT_EQ(out.reward, 9);
  EXPECT_TRUE(out.seen >> PocMan::kSmellBit & 1);  // what is eaten was smelled
  EXPECT_FALSE(step(m, out.next, PocMan::kEast).seen >> PocMan::kSmellBit & 1);
  // The last food clears the level.
  const auto last = step(m, quiet(m, 1, 0), PocMan::kWest);
  EXPECT_EQ(last.reward, 999);
  EXPECT_TRUE(m.is_terminal(last.next));
}

TEST(PocMan, APillGivesFifteenSteps) {
  const PocMan m = full();
  State s = quiet(m, 1, 16);
  put_food(m, s, 0, 16);
  const auto out = step(m, s, PocMan::kWest);
  EXPECT_EQ(out.reward, 9);
  EXPECT_EQ(out.next.power, 15);
  EXPECT_EQ(step(m, out.next, PocMan::kEast).next.power, 14);
}

TEST(PocMan, GhostsCatchOrAreEaten) {
  const PocMan m = full();
  State s = quiet(m, 3, 6);
  s.ghost[0] = cell(m, 4, 6);
  const auto caught = step(m, s, PocMan::kEast);
  EXPECT_EQ(caught.reward, -101);
  EXPECT_TRUE(m.is_terminal(caught.next));
  s.power = 5;
  const auto eaten = step(m, s, PocMan::kEast);
  EXPECT_EQ(eaten.reward, 24);
  EXPECT_EQ(eaten.next.ghost[0], cell(m, 8, 10));
  s.power = 1;  // over before the ghost is met
  EXPECT_EQ(step(m, s, PocMan::kEast).reward, -101);
}

TEST(PocMan, GhostsChaseThreeTimesOutOfFourAndOtherwiseGoAnywhere) {
  const PocMan m = full();
  State s = quiet(m, 2, 6);  // a bump keeps PocMan here
  s.ghost[0] = cell(m, 5, 6);
  int nearer = 0, south = 0;
  constexpr int kRuns = 20'000;
  for (int i = 0; i < kRuns; ++i) {
    const State next = step(m, s, PocMan::kNorth, i).next;
    nearer += next.ghost[0] == cell(m, 4, 6);
    south += next.ghost[0] == cell(m, 5, 5);
  }
  // (5,6) leads north, east and west; south is a wall.
  EXPECT_EQ(south, 0);
  EXPECT_NEAR(nearer / double(kRuns), 0.75 + 0.25 / 3, 0.015);
}

TEST(PocMan, SeesAlongCorridorsAndHearsAround) {
  const PocMan m = full();
  State s = quiet(m, 0, 6);
  s.ghost[0] = cell(m, 9, 6);
  const int seen = m.observation(s);
  EXPECT_EQ(seen & 15, 1 << PocMan::kEast);
  EXPECT_EQ(seen >> 4 & 15, (1 << PocMan::kEast) | (1 << PocMan::kSouth));
  EXPECT_FALSE(seen >> PocMan::kHearBit & 1);
  s.ghost[0] = cell(m, 1, 4);
  s.at = cell(m, 0, 5);
  EXPECT_EQ(m.observation(s) & 15, 0);
  EXPECT_TRUE(m.observation(s) >> PocMan::kHearBit & 1);
}

TEST(PocMan, TheUpperBoundIsExactForTheLastFood) {
  const PocMan m = full();
  EXPECT_NEAR(m.mdp_value(quiet(m, 1, 0)), 999, 1e-9);
  EXPECT_NEAR(m.mdp_value(quiet(m, 2, 0)), -1 + 0.95 * 999, 1e-9);
}

TEST(PocMan, PerturbedStatesKeepPocMan) {
  const PocMan m = micro();
  for (int i = 0; i < 1000; ++i) {
    Rng rng(RngKey::from_seed(5), i);
    const State s = m.sample_initial(rng), moved = m.perturb(s, rng);
    EXPECT_EQ(moved.at, s.at);
    EXPECT_NE(moved.ghost[0], s.at);
    EXPECT_FALSE(m.is_terminal(moved));
  }
}

TEST(PocMan, TheExpertEatsMoreThanItLoses) {
  const auto model = adapt(full());
  ThreadPool pool(2);
  EvaluateOptions options;
  options.episodes = 4000;
  options.max_steps = 90;
  const Score score = evaluate(*model, PocManExpert(full()), options, pool);
  EXPECT_GT(score.mean, 0);
  EXPECT_GT(score.undiscounted.mean, score.mean);
}

}  // namespace
}  // namespace penumbra
