#include "domains/rock_tour_bound.h"

#include <gtest/gtest.h>

#include <cmath>

#include "domains/rock_sample.h"

namespace penumbra {
namespace {

// k distinct cells.
std::vector<std::pair<int, int>> random_cells(int n, int k, Rng& rng) {
  std::vector<std::pair<int, int>> cells;
  while (static_cast<int>(cells.size()) < k) {
    const std::pair<int, int> cell(1 + rng.below(n), 1 + rng.below(n));
    if (std::find(cells.begin(), cells.end(), cell) == cells.end()) cells.push_back(cell);
  }
  return cells;
}

RockTourBound bound_of(const RockSample::Options& o) {
  return {o.n, o.rocks, {o.good_reward, o.exit_reward, o.discount}};
}

// On random maps, cells and rocks, against the exact value.
struct Comparison {
  double lowest = HUGE_VAL, mean = 0;  // of bound / value
};
Comparison compare(RockSample::Options options, int k, int maps, int states) {
  Comparison c;
  for (int map = 0; map < maps; ++map) {
    Rng rng(RngKey::from_seed(k), map);
    options.rocks = random_cells(options.n, k, rng);
    const RockSample exact(options);
    const RockTourBound bound = bound_of(options);
    for (int i = 0; i < states; ++i) {
      const RockSample::State s{static_cast<int16_t>(1 + rng.below(options.n)),
                                static_cast<int16_t>(1 + rng.below(options.n)),
                                rng.bits32() & ((1u << k) - 1)};
      const double ratio = bound.value(s.x, s.y, s.rocks) / exact.mdp_value(s);
      c.lowest = std::min(c.lowest, ratio);
      c.mean += ratio / (maps * states);
    }
  }
  return c;
}

constexpr double kRounding = 1e-5;  // the exact value is a table of floats

TEST(RockTourBound, IsNeverBelowTheValueAndRarelyFarAbove) {
  RockSample::Options o;
  for (auto [n, k, most] : {std::tuple(3, 6, 1.03), {7, 8, 1.05}, {11, 11, 1.07}, {20, 12, 1.08}}) {
    o.n = n;
    const Comparison c = compare(o, k, 20, 500);
    EXPECT_GE(c.lowest, 1 - kRounding) << n << ' ' << k;
    EXPECT_LE(c.mean, most) << n << ' ' << k;
    RecordProperty("mean_ratio_n" + std::to_string(n), std::to_string(c.mean));
  }
}

TEST(RockTourBound, HoldsForOtherRewardsAndDiscounts) {
  RockSample::Options o;
  o.n = 9;
  for (double discount : {0.3, 0.9, 0.999})
    for (auto [good, exit] : {std::pair(10.0, 0.0), {0.0, 10.0}, {1.0, 100.0}, {20.0, 1.0}}) {
      o.discount = discount;
      o.good_reward = good;
      o.exit_reward = exit;
      EXPECT_GE(compare(o, 9, 4, 200).lowest, 1 - kRounding) << discount << ' ' << good;
    }
}

// Every group of rocks of the trees, and more rocks than walks are followed over.
TEST(RockTourBound, HoldsWithMoreRocksThanAWalkHas) {
  RockSample::Options o;
  o.n = 12;
  EXPECT_GE(compare(o, 18, 1, 2000).lowest, 1 - kRounding);
}

TEST(RockTourBound, IsExactForOneRockAndNone) {
  const RockTourBound bound(10, {{4, 3}}, {10, 5, 0.9});
  EXPECT_NEAR(bound.value(2, 2, 0), 5 * std::pow(0.9, 8), 1e-12);
  EXPECT_NEAR(bound.value(2, 2, 1), 10 * std::pow(0.9, 3) + 5 * std::pow(0.9, 3 + 1 + 6), 1e-12);
}

TEST(RockTourBound, TakesTheLargestGridAndSixtyFourRocks) {
  Rng rng(RngKey::from_seed(1), 0);
  const auto rocks = random_cells(1000, 64, rng);
  const RockTourBound bound(1000, rocks, {10, 10, 0.999999});
  const double value = bound.value(1, 1, ~uint64_t{0});
  EXPECT_GT(value, bound.value(1, 1, 1));
  EXPECT_LT(value, 650);
  // Farther from everything is worth less.
  EXPECT_GT(RockTourBound(1000, rocks, {10, 10, 0.99}).value(500, 500, ~uint64_t{0}),
            RockTourBound(1000, rocks, {10, 10, 0.9}).value(500, 500, ~uint64_t{0}));
}

}  // namespace
}  // namespace penumbra
