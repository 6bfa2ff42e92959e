#include "domains/laser_tag.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numbers>

#include "domains/registry.h"
#include "penumbra/evaluate/score.h"
#include "tests/error_of.h"
#include "yardsticks/laser_tag_expert.h"

namespace penumbra {
namespace {

using State = LaserTag::State;

LaserTag emulated() {
  LaserTag::Options o;
  o.obstacles = {{5, 7}, {2, 6}, {4, 3}, {3, 2}, {4, 2}, {8, 2}, {10, 2}, {4, 1}};
  return LaserTag(o);
}
uint8_t cell(int x, int y) {  // from 1
  return static_cast<uint8_t>((y - 1) * LaserTag::kWidth + x - 1);
}
auto step(const LaserTag& m, State s, int action, uint64_t lane = 0) {
  Rng rng(RngKey::from_seed(1), lane);
  return m.step(s, action, rng);
}

// The one-sided noise of the public programs, by hand.
TEST(LaserTag, ReadingsHaveTheirProbabilities) {
  const LaserTag m = emulated();
  const double straight[] = {0.423711, 0.265446, 0.310843, 0};
  const double diagonal[] = {0.464553, 0.275812, 0.259636, 0};
  for (int r = 0; r < 4; ++r) {
    EXPECT_NEAR(m.reading_probability(false, 3, r), straight[r], 1e-6);
    EXPECT_NEAR(m.reading_probability(true, 2, r), diagonal[r], 1e-6);
  }
}

TEST(LaserTag, BeamsEndAtWallsObstaclesAndTheOpponent) {
  const LaserTag m = emulated();
  const State s{cell(1, 1), cell(1, 4), 0};
  EXPECT_EQ(m.beam_cells(s, 0), 3);  // north: the opponent
  EXPECT_EQ(m.beam_cells(s, 1), 3);  // east: the obstacle (4,1)
  EXPECT_EQ(m.beam_cells(s, 2), 1);  // south: the wall
  EXPECT_EQ(m.beam_cells(s, 4), 7);  // north-east: (7,7) is the last free cell
  EXPECT_EQ(m.beam_cells({cell(1, 1), cell(3, 3), 0}, 4), 2);
}

TEST(LaserTag, ReadingsFollowTheRuleOfTheOriginal) {
  const LaserTag m = emulated();
  const State s{cell(1, 1), cell(11, 7), 0};  // the opponent is boxed in, the robot bumps
  std::map<float, int> count;
  constexpr int kRuns = 20'000;
  for (int i = 0; i < kRuns; ++i) ++count[step(m, s, LaserTag::kWest, i).seen[4]];
  const double d = m.beam_cells(s, 4) * std::numbers::sqrt2;
  std::map<float, double> wanted;
  Rng rng(RngKey::from_seed(2), 0);
  for (int i = 0; i < kRuns; ++i)
    ++wanted[static_cast<float>(std::max(0.0, std::floor(d - std::abs(rng.normal(0, 2.5)))))];
  for (const auto& [reading, times] : wanted) EXPECT_NEAR(count[reading], times, 500) << reading;
}

TEST(LaserTag, TheOpponentRunsAway) {
  const LaserTag m = emulated();
  std::map<int, double> to;
  for (const auto& move : m.opponent_moves(cell(6, 5), cell(8, 5)))
    to[move.cell] += move.probability;
  EXPECT_DOUBLE_EQ(to[cell(9, 5)], 0.4);  // away in x
  EXPECT_DOUBLE_EQ(to[cell(8, 6)], 0.2);  // on the same row: either way in y
  EXPECT_DOUBLE_EQ(to[cell(8, 4)], 0.2);
  EXPECT_DOUBLE_EQ(to[cell(8, 5)], 0.2);
  to.clear();
  for (const auto& move : m.opponent_moves(cell(1, 1), cell(11, 7)))
    to[move.cell] += move.probability;
  EXPECT_DOUBLE_EQ(to[cell(11, 7)], 1);  // cornered: what is blocked stays
  to.clear();
  for (int i = 0; i < 20'000; ++i)
    to[step(m, {cell(6, 5), cell(8, 5), 0}, LaserTag::kTag, i).next.opponent] += 1 / 20e3;
  EXPECT_NEAR(to[cell(9, 5)], 0.4, 0.02);
  EXPECT_NEAR(to[cell(8, 4)], 0.2, 0.02);
}

TEST(LaserTag, TagsPayInTheSameCellAlone) {
  const LaserTag m = emulated();
  const auto hit = step(m, {cell(1, 3), cell(1, 3), 0}, LaserTag::kTag);
  EXPECT_EQ(hit.reward, 10);
  EXPECT_TRUE(m.is_terminal(hit.next));
  const auto miss = step(m, {cell(1, 3), cell(2, 3), 0}, LaserTag::kTag);
  EXPECT_EQ(miss.reward, -10);
  EXPECT_EQ(miss.next.robot, cell(1, 3));
  const auto bump = step(m, {cell(3, 1), cell(9, 5), 0}, LaserTag::kEast);
  EXPECT_EQ(bump.reward, -1);
  EXPECT_EQ(bump.next.robot, cell(3, 1));  // the obstacle (4,1)
}

TEST(LaserTag, ASharedCellIsSeenForSure) {
  const LaserTag m = emulated();
  LaserTag::Observation seen;
  seen.fill(-1);
  EXPECT_EQ(m.likelihood(seen, 0, {cell(1, 3), cell(1, 3), 0}), 1);
  EXPECT_EQ(m.likelihood(seen, 0, {cell(1, 3), cell(1, 4), 0}), 0);
}

TEST(LaserTag, StartsOnFreeCells) {
  EXPECT_EQ(emulated().start_cells().size(), 69);
  const auto random = load_domain("laser-tag(map_seed=7)");
  EXPECT_EQ(dynamic_cast<const Adapted<LaserTag>&>(*random).model().start_cells().size(), 69);
  const auto all = load_domain("laser-tag(start=all)");
  EXPECT_EQ(dynamic_cast<const Adapted<LaserTag>&>(*all).model().start_cells().size(), 77);
}

TEST(LaserTag, AMapHasItsObstacles) {
  EXPECT_THAT(error_of([] { load_domain("laser-tag(map=emu4,obstacles=3)"); }),
              testing::HasSubstr("leaves no room for obstacles"));
}

TEST(LaserTag, KnownCellsHaveTheirOptimum) {
  const LaserTag m = emulated();
  EXPECT_EQ(m.mdp_value({cell(1, 1), cell(1, 1), 0}), 10);
  // One step away, and the opponent may run back past the robot: less than two moves are worth.
  EXPECT_LT(m.mdp_value({cell(10, 7), cell(11, 7), 0}), -1 + 0.95 * 10);
  EXPECT_GT(m.mdp_value({cell(10, 7), cell(11, 7), 0}), m.mdp_value({cell(1, 1), cell(11, 7), 0}));
}

TEST(LaserTag, TheExpertReachesWhatIsPublishedForQmdp) {
  const auto model = adapt(emulated());
  ThreadPool pool(2);
  EvaluateOptions options;
  options.episodes = 400;
  const Score score = evaluate(*model, LaserTagExpert(emulated()), options, pool);
  EXPECT_NEAR(score.mean, -10.4, 2);  // published on random maps
}

}  // namespace
}  // namespace penumbra
