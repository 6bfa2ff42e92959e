#include "domains/rock_sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "domains/registry.h"
#include "penumbra/base/error.h"

namespace penumbra {
namespace {

using State = RockSample::State;

const RockSample& rocks_of(const Pomdp& model) {
  return dynamic_cast<const Adapted<RockSample>&>(model).model();
}

// Three by three, rocks at (2,2) and (3,1).
RockSample small(RockSample::Rules rules = RockSample::Rules::kModern) {
  RockSample::Options o;
  o.n = 3;
  o.rules = rules;
  o.rocks = {{2, 2}, {3, 1}};
  return RockSample(o);
}

Outcome<State, int> step(const RockSample& m, State s, int action) {
  Rng rng(RngKey::from_seed(1), 0);
  return m.step(s, action, rng);
}

// The mean optimum with known rocks over all rock configurations, from a cell counted from 0.
double mean_mdp_value(const std::string& spec, int x, int y) {
  const auto model = load_domain(spec);
  const RockSample& m = rocks_of(*model);
  double sum = 0;
  const uint32_t count = 1u << m.num_rocks();
  for (uint32_t rocks = 0; rocks < count; ++rocks)
    sum += m.mdp_value({int16_t(x + 1), int16_t(y + 1), rocks});
  return sum / count;
}

TEST(RockSample, MdpValueOfTheClassicMaps) {
  EXPECT_NEAR(mean_mdp_value("rock-sample(map=7-8)", 0, 3), 28.5048, 5e-5);
  EXPECT_NEAR(mean_mdp_value("rock-sample(map=7-8)", 0, 0), 29.6176, 5e-5);
  EXPECT_NEAR(mean_mdp_value("rock-sample(map=11-11)", 0, 5), 31.7579, 5e-5);
  EXPECT_NEAR(mean_mdp_value("rock-sample(map=11-11)", 0, 0), 28.2693, 5e-5);
  EXPECT_NEAR(mean_mdp_value("rock-sample(map=15-15)", 0, 7), 29.4005, 5e-5);
  EXPECT_NEAR(mean_mdp_value("rock-sample(map=15-15)", 0, 0), 26.1300, 5e-5);
}

TEST(RockSample, MdpValueIsThatOfValueIterationOnTheTable) {
  const RockSample m = small();
  const Tabular t = m.table();
  std::vector<double> v(t.num_states, 0.0);
  for (int sweep = 0; sweep < 500; ++sweep)
    for (int s = 0; s < t.num_states; ++s) {
      double best = t.terminal[s] ? 0 : -HUGE_VAL;
      for (int a = 0; a < t.num_actions && !t.terminal[s]; ++a) {
        double q = t.reward[a][s];
        for (const auto& to : t.transition[a].row(s)) q += 0.95 * to.value * v[to.column];
        best = std::max(best, q);
      }
      v[s] = best;
    }
  for (int16_t x = 1; x <= 3; ++x)
    for (int16_t y = 1; y <= 3; ++y)
      for (uint32_t rocks = 0; rocks < 4; ++rocks)
        EXPECT_NEAR(m.mdp_value({x, y, rocks}), v[m.state_index({x, y, rocks})], 1e-4);
}

TEST(RockSample, MdpValueOfTwentyRocksIsAboveTheSumOfWhatIsNear) {
  const auto model = load_domain("rock-sample(n=20,k=20)");
  const RockSample& m = rocks_of(*model);
  EXPECT_NEAR(m.mdp_value({1, 1, 0}), 10 * std::pow(0.95, 19), 1e-5);
  EXPECT_GT(m.mdp_value({1, 1, (1u << 20) - 1}), m.mdp_value({1, 1, 1}));
}

TEST(RockSample, ACheckIsRightByTheDistance) {
  const RockSample m = small();
  for (int16_t x = 1; x <= 3; ++x)
    for (int16_t y = 1; y <= 3; ++y) {
      const double d = std::hypot(x - 2, y - 2);
      EXPECT_NEAR(m.accuracy({x, y, 0}, 0), 0.5 * (1 + std::pow(2, -d / 20)), 1e-6);
    }
  EXPECT_EQ(m.accuracy({2, 2, 0}, 0), 1);
}

TEST(RockSample, ACheckIsRightAsOftenAsItSays) {
  RockSample::Options o;
  o.n = 9;
  o.rocks = {{9, 9}};
  o.half_distance = 5;
  const RockSample m(o);
  int good = 0;
  const int count = 20'000;
  for (int i = 0; i < count; ++i) {
    Rng rng(RngKey::from_seed(2), i);
    good += m.step({1, 1, 1}, RockSample::kCheck, rng).seen == RockSample::kGood;
  }
  const double p = 0.5 * (1 + std::exp2(-std::hypot(8, 8) / 5));
  EXPECT_NEAR(good, count * p, 6 * std::sqrt(count * p * (1 - p)));
}

TEST(RockSample, SamplingTakesTheRock) {
  const auto good = step(small(), {2, 2, 0b11}, RockSample::kSample);
  EXPECT_EQ(good.reward, 10);
  EXPECT_EQ(good.next.rocks, 0b10);
  EXPECT_EQ(good.seen, RockSample::kNone);
  EXPECT_EQ(step(small(), {2, 2, 0b10}, RockSample::kSample).reward, -10);
}

TEST(RockSample, LeavingOnTheEastEndsWithTheExitReward) {
  for (auto rules :
       {RockSample::Rules::kModern, RockSample::Rules::kClassic, RockSample::Rules::kDespot}) {
    const RockSample m = small(rules);
    const auto out = step(m, {3, 2, 0b11}, RockSample::kEast);
    EXPECT_EQ(out.reward, 10);
    EXPECT_TRUE(m.is_terminal(out.next));
    EXPECT_EQ(out.next.rocks, 0);
  }
}

TEST(RockSample, MovesGoWhereTheyShould) {
  const RockSample m = small();
  EXPECT_EQ(step(m, {2, 2, 0}, RockSample::kNorth).next.y, 3);
  EXPECT_EQ(step(m, {2, 2, 0}, RockSample::kSouth).next.y, 1);
  EXPECT_EQ(step(m, {2, 2, 0}, RockSample::kEast).next.x, 3);
  EXPECT_EQ(step(m, {2, 2, 0}, RockSample::kWest).next.x, 1);
}

// Bumping into the border and sampling off a rock, under each rule.
TEST(RockSample, ModernRulesForgive) {
  for (int action : {RockSample::kWest, RockSample::kSouth, RockSample::kSample}) {
    const auto out = step(small(), {1, 1, 0b11}, action);
    EXPECT_EQ(out.reward, 0);
    EXPECT_EQ(out.next.x, 1);
    EXPECT_EQ(out.next.rocks, 0b11);
  }
}

TEST(RockSample, ClassicRulesEndTheEpisode) {
  const RockSample m = small(RockSample::Rules::kClassic);
  for (int action : {RockSample::kWest, RockSample::kSouth, RockSample::kSample}) {
    const auto out = step(m, {1, 1, 0b11}, action);
    EXPECT_EQ(out.reward, -100);
    EXPECT_TRUE(m.is_terminal(out.next));
  }
  EXPECT_EQ(m.facts().num_observations, 2);
  EXPECT_EQ(step(m, {1, 1, 0}, RockSample::kEast).seen, RockSample::kGood);
}

TEST(RockSample, DespotRulesPunishAndGoOn) {
  const RockSample m = small(RockSample::Rules::kDespot);
  const auto out = step(m, {1, 1, 0b11}, RockSample::kWest);
  EXPECT_EQ(out.reward, -100);
  EXPECT_EQ(out.next.x, 1);
  EXPECT_EQ(m.facts().num_observations, 3);
}

TEST(RockSample, ClassicMapsHaveTheirStartAndRocks) {
  for (auto [map, n, k, start] : {std::tuple("4-4", 4, 4, 3),
                                  {"5-5", 5, 5, 3},
                                  {"5-7", 5, 7, 3},
                                  {"7-8", 7, 8, 4},
                                  {"10-10", 10, 10, 6},
                                  {"11-11", 11, 11, 6},
                                  {"15-15", 15, 15, 8}}) {
    const auto model = load_domain("rock-sample(map=" + std::string(map) + ")");
    const RockSample& m = rocks_of(*model);
    EXPECT_EQ(m.n(), n);
    EXPECT_EQ(m.num_rocks(), k);
    EXPECT_EQ(m.options().start, std::pair(1, start));
  }
  const auto model = load_domain("rock-sample(map=7-8)");
  EXPECT_EQ(rocks_of(*model).rock_at(7, 4), 3);
}

TEST(RockSample, RandomMapsAreDistinctCellsChosenByTheSeed) {
  auto rocks = [](int seed) {
    const auto model = load_domain("rock-sample(n=5,k=25,map_seed=" + std::to_string(seed) + ")");
    return rocks_of(*model).options().rocks;
  };
  EXPECT_EQ(rocks(3), rocks(3));
  EXPECT_NE(rocks(3), rocks(4));
  auto all = rocks(3);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::unique(all.begin(), all.end()) - all.begin(), 25);
}

TEST(RockSample, ParametersThatContradictAreErrors) {
  for (const char* bad :
       {"rock-sample(map=7-8,n=8)", "rock-sample(map=7-8,map_seed=2)",
        "rock-sample(map=7-8,rocks=[(1,1)])", "rock-sample(n=2,k=5)", "rock-sample(n=9,k=65)",
        "rock-sample(n=3,rocks=[(4,1)])", "rock-sample(n=3,rocks=[(1,1),(1,1)])",
        "rock-sample(n=3,rocks=[(0,1)])", "rock-sample(n=3,start=[(1,4)])",
        "rock-sample(n=3,start=[(1,1),(2,2)])", "rock-sample(rules=house)",
        "rock-sample(n=3,rocks=[(1,1)],k=2)", "rock-sample(half_distance=0)"})
    EXPECT_THROW(load_domain(bad), Error) << bad;
  EXPECT_NO_THROW(load_domain("rock-sample(map=7-8,n=7,k=8)"));
  EXPECT_NO_THROW(load_domain("rock-sample(n=2)"));
}

TEST(RockSample, TheTableOfASmallOneIsWrittenOut) {
  const RockSample m = small();
  const Tabular t = m.table();
  check_tabular(t);
  EXPECT_EQ(t.num_states, (9 + 1) * 4);  // gone is a position too
  EXPECT_EQ(t.visible[m.state_index({2, 1, 0b11})], 1);
  EXPECT_EQ(state_name(t, m.state_index({2, 1, 0b01})), "x2y1,bad,good");
  EXPECT_EQ(t.num_actions, 7);
  EXPECT_EQ(t.start[m.state_index({1, 1, 0b10})], 0.25);
  const int here = m.state_index({2, 2, 0b01});
  EXPECT_EQ(t.transition[RockSample::kSample].row(here)[0].column, m.state_index({2, 2, 0}));
  EXPECT_EQ(t.reward[RockSample::kSample][here], 10);
  EXPECT_EQ(t.observation[RockSample::kCheck].row(here).size(), 1);  // on the rock: certain
  EXPECT_EQ(t.observation[RockSample::kCheck + 1].row(here).size(), 2);
  EXPECT_EQ(t.terminal[m.state_index({0, 0, 0})], 1);
}

TEST(RockSample, HasTheSizesOfTheLiterature) {
  const auto model = load_domain("rock-sample(n=20,k=20)");
  EXPECT_EQ(model->facts().num_actions, 25);
  EXPECT_EQ(model->facts().num_observations, 3);
  EXPECT_EQ(model->features().width(), 420);
  EXPECT_EQ(load_domain("rock-sample(map=7-8)")->table().num_states, (49 + 1) * 256);
}

TEST(RockSample, RocksAreGoodAsOftenAsThePriorSays) {
  const auto model = load_domain("rock-sample(n=4,k=8,prior_good=0.2)");
  RecordBuffer state(model->state_size(), 10'000);
  model->sample_initial({RngKey::from_seed(1)}, state);
  int good = 0;
  for (size_t i = 0; i < state.count(); ++i) good += std::popcount(state.as<State>(i).rocks);
  EXPECT_NEAR(good, 16'000, 6 * std::sqrt(80'000 * 0.16));
}

TEST(RockSample, FiftyRocksHaveTheirBits) {
  const auto model = load_domain("rock-sample(n=50,k=50)");
  const WideRockSample& m = dynamic_cast<const Adapted<WideRockSample>&>(*model).model();
  EXPECT_EQ(model->facts().num_actions, 55);
  EXPECT_EQ(model->features().width(), 2550);
  Rng rng(RngKey::from_seed(1), 0);
  const auto [x, y] = m.options().rocks[49];
  const WideRockSample::State good{x, y, uint64_t{1} << 49 | 1};
  const auto sampled = m.step(good, RockSample::kSample, rng);
  EXPECT_EQ(sampled.reward, 10);
  EXPECT_EQ(sampled.next.rocks, 1);
  EXPECT_EQ(m.step(good, RockSample::kCheck + 49, rng).seen, RockSample::kGood);
  EXPECT_EQ(m.likelihood(RockSample::kBad, RockSample::kCheck + 49, sampled.next), 1);
  EXPECT_EQ(m.describe_state(good).substr(m.describe_state(good).size() - 50),
            "+" + std::string(48, '-') + "+");
  FeatureBatch batch(m.features(), 1);
  m.encode(good, batch.row(0));
  EXPECT_EQ(batch.bits()[0], 1u);
  EXPECT_EQ(batch.bits()[1], 1u << 17);
}

TEST(RockSample, EveryOneOfFiftyRocksIsGoodHalfTheTime) {
  for (const char* spec : {"rock-sample(n=50,k=50)", "rock-sample(n=50,k=50,prior_good=0.5001)"}) {
    const auto model = load_domain(spec);
    const int count = 10'000;
    RecordBuffer state(model->state_size(), count);
    model->sample_initial({RngKey::from_seed(1)}, state);
    for (int r = 0; r < 64; ++r) {
      int good = 0;
      for (int i = 0; i < count; ++i) good += state.as<WideRockSample::State>(i).rocks >> r & 1;
      EXPECT_NEAR(good, r < 50 ? count / 2 : 0, r < 50 ? 5 * std::sqrt(count / 4.0) : 0) << r;
    }
  }
}

TEST(RockSample, AStateOfUpToThirtyTwoRocksTakesEightBytes) {
  EXPECT_EQ(load_domain("rock-sample(n=30,k=32)")->state_size(), 8);
  EXPECT_EQ(load_domain("rock-sample(n=30,k=33)")->state_size(), 16);
}

TEST(RockSample, DrawsTheGrid) {
  EXPECT_EQ(small().draw({1, 1, 0b01}), ". . . |\n. + . |\n@ . - |\n");
  EXPECT_EQ(small().describe_state({1, 1, 0b01}), "at (1,1) rocks +-");
}

}  // namespace
}  // namespace penumbra
