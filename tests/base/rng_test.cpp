#include "penumbra/base/rng.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

#include "penumbra/base/error.h"

namespace penumbra {
namespace {

TEST(Rng, IsPhilox4x32WithSevenRounds) {
  // The published answer for a counter and key of zeros.
  Rng rng(RngKey{0}, 0);
  EXPECT_EQ(rng.bits32(), 0x5f6fb709u);
  EXPECT_EQ(rng.bits32(), 0x0d893f64u);
  EXPECT_EQ(rng.bits32(), 0x4f121f81u);
  EXPECT_EQ(rng.bits32(), 0x4f730a48u);
}

// Results that were published with a seed must stay reproducible: these may never change.
TEST(Rng, KeysAreStable) {
  EXPECT_EQ(RngKey::from_seed(7).value, 0x93a5a6bc2810360au);
  EXPECT_EQ(RngKey::from_seed(7).fold("evaluate").value, 0x8e949aae338cbc21u);
  EXPECT_EQ(RngKey::from_seed(7).fold("evaluate").fold(3).value, 0x8279ad7e2954015u);
}

TEST(Rng, DrawsAreStable) {
  Rng rng(RngKey::from_seed(7).fold("test"), 5);
  EXPECT_EQ(rng.bits64(), 0x23ff6d4ee206c0c9u);
  EXPECT_DOUBLE_EQ(rng.uniform(), 0.63964386912994087);
  EXPECT_FLOAT_EQ(rng.uniform_float(), 0.275275528f);
  EXPECT_DOUBLE_EQ(rng.normal(), -1.1766877320884153);
  EXPECT_EQ(rng.below(1000), 907);
}

TEST(Rng, FoldsAreUnrelatedAndOrdered) {
  const RngKey root = RngKey::from_seed(1);
  std::set<uint64_t> values;
  for (uint64_t i = 0; i < 1000; ++i) {
    values.insert(root.fold(i).value);
    values.insert(root.fold("a").fold(i).value);
    values.insert(root.fold(i).fold("a").value);
    values.insert(RngKey::from_seed(i + 2).value);
  }
  EXPECT_EQ(values.size(), 4000);
}

TEST(Rng, UniformFillsTheUnitIntervalEvenly) {
  Rng rng(RngKey::from_seed(2), 0);
  std::array<int, 64> cells{};
  for (int i = 0; i < 640'000; ++i) ++cells[static_cast<int>(rng.uniform() * 64)];
  double chi_square = 0;
  for (int c : cells) chi_square += (c - 10'000.0) * (c - 10'000.0) / 10'000;
  EXPECT_LT(chi_square, 63 + 6 * std::sqrt(2 * 63.0));
}

TEST(Rng, LanesAreAsUniformAsOneLane) {
  std::array<int, 64> cells{};
  for (uint64_t lane = 0; lane < 640'000; ++lane)
    ++cells[static_cast<int>(Rng(RngKey::from_seed(2), lane).uniform_float() * 64)];
  double chi_square = 0;
  for (int c : cells) chi_square += (c - 10'000.0) * (c - 10'000.0) / 10'000;
  EXPECT_LT(chi_square, 63 + 6 * std::sqrt(2 * 63.0));
}

TEST(Rng, FirstDrawsOfNeighbouringLanesAndStepsAreUncorrelated) {
  double by_lane = 0, by_step = 0;
  const int n = 200'000;
  const RngKey key = RngKey::from_seed(3);
  for (int i = 0; i < n; ++i) {
    const double x = Rng(key, i).uniform() - 0.5;
    by_lane += x * (Rng(key, i + 1).uniform() - 0.5);
    by_step += x * (Rng(key.fold(1), i).uniform() - 0.5);
  }
  const double bound = 6 * (1 / 12.0) / std::sqrt(n);
  EXPECT_LT(std::abs(by_lane / n), bound);
  EXPECT_LT(std::abs(by_step / n), bound);
}

TEST(Rng, BelowStaysBelowAndReachesAll) {
  Rng rng(RngKey::from_seed(4), 0);
  std::array<int, 7> count{};
  for (int i = 0; i < 70'000; ++i) ++count.at(rng.below(7));
  for (int c : count) EXPECT_NEAR(c, 10'000, 6 * std::sqrt(10'000 * 6 / 7.0));
  EXPECT_EQ(rng.below(1), 0);
}

TEST(Rng, NormalHasTheRightMoments) {
  Rng rng(RngKey::from_seed(5), 0);
  const int n = 1'000'000;
  double m1 = 0, m2 = 0, m3 = 0, m4 = 0;
  for (int i = 0; i < n; ++i) {
    const double x = rng.normal();
    m1 += x / n;
    m2 += x * x / n;
    m3 += x * x * x / n;
    m4 += x * x * x * x / n;
  }
  EXPECT_NEAR(m1, 0, 6 * std::sqrt(1.0 / n));
  EXPECT_NEAR(m2, 1, 6 * std::sqrt(2.0 / n));
  EXPECT_NEAR(m3, 0, 6 * std::sqrt(15.0 / n));
  EXPECT_NEAR(m4, 3, 6 * std::sqrt(96.0 / n));
}

TEST(Rng, NormalQuantileInvertsTheDistributionFunction) {
  for (double u = 1e-9; u < 1; u += 0.000'123'4)
    EXPECT_NEAR(normal_cdf(normal_quantile(u)), u, 1e-14 + 1e-13 * u);
  for (double u : {1e-10, 1e-50, 1e-300}) {
    const double back = normal_cdf(normal_quantile(u));
    EXPECT_NEAR(back / u, 1, 1e-11) << u;
  }
}

TEST(Rng, NormalQuantileKnowsTheTables) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_NEAR(normal_quantile(0.5), 0, 1e-16);
  EXPECT_NEAR(normal_quantile(1e-10), -6.361340902404056, 1e-13);
  EXPECT_EQ(normal_quantile(0), -HUGE_VAL);
  EXPECT_EQ(normal_quantile(1), HUGE_VAL);
}

TEST(Rng, CategoricalFollowsTheWeightsAndSkipsZeros) {
  Rng rng(RngKey::from_seed(6), 0);
  const std::vector<double> weights = {0, 1, 0, 3, 0};
  std::array<int, 5> count{};
  for (int i = 0; i < 40'000; ++i) ++count.at(rng.categorical(weights));
  EXPECT_EQ(count[0] + count[2] + count[4], 0);
  EXPECT_NEAR(count[1], 10'000, 6 * std::sqrt(7500.0));
}

TEST(Rng, CategoricalRefusesWeightsWithoutATotal) {
  Rng rng(RngKey::from_seed(6), 0);
  EXPECT_THROW(rng.categorical(std::vector<double>{0, 0}), InvariantError);
  EXPECT_THROW(rng.categorical(std::vector<double>{}), InvariantError);
}

TEST(Streams, DoNotDependOnTheSplitOfABatch) {
  const Streams whole{RngKey::from_seed(8), 100};
  const Streams part = whole.from(30);
  for (size_t i = 0; i < 20; ++i) EXPECT_EQ(part.rng(i).bits64(), whole.rng(30 + i).bits64());
}

TEST(Streams, IdsNameTheSameStreamsAsConsecutiveLanes) {
  const Streams whole{RngKey::from_seed(8), 100};
  const std::vector<uint64_t> ids = {105, 100, 117};
  const Streams named{whole.key, 0, ids.data()};
  EXPECT_EQ(named.rng(0).bits64(), whole.rng(5).bits64());
  EXPECT_EQ(named.from(1).rng(0).bits64(), whole.rng(0).bits64());
  EXPECT_EQ(named.from(2).rng(0).bits64(), whole.rng(17).bits64());
}

}  // namespace
}  // namespace penumbra
