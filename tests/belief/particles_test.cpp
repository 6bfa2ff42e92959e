#include "penumbra/belief/particles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "penumbra/base/error.h"

namespace penumbra {
namespace {

Particles numbered(std::vector<double> weights) {
  Particles p(sizeof(int), weights.size());
  for (size_t i = 0; i < weights.size(); ++i) p.states.as<int>(i) = static_cast<int>(i);
  p.weights = std::move(weights);
  return p;
}

std::vector<int> counts(const Particles& p, size_t kinds) {
  std::vector<int> count(kinds);
  for (size_t i = 0; i < p.count(); ++i) ++count.at(p.states.as<int>(i));
  return count;
}

TEST(Particles, EffectiveSize) {
  EXPECT_DOUBLE_EQ(numbered({0.25, 0.25, 0.25, 0.25}).effective_size(), 4);
  EXPECT_DOUBLE_EQ(numbered({1, 0, 0}).effective_size(), 1);
  EXPECT_DOUBLE_EQ(Particles(4, 7).effective_size(), 7);
}

TEST(Resample, IsDeterministic) {
  const Particles p = numbered({0.1, 0.4, 0.3, 0.2});
  const RngKey key = RngKey::from_seed(1);
  EXPECT_EQ(resample(p, 1000, key).states, resample(p, 1000, key).states);
}

TEST(Resample, EachComesAsOftenAsItsWeightSaysOrOneMore) {
  const std::vector<double> weights = {0.111, 0, 0.333, 0.5, 0.056};
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const auto count = counts(resample(numbered(weights), 97, RngKey::from_seed(seed)), 5);
    for (size_t i = 0; i < weights.size(); ++i) {
      EXPECT_GE(count[i], std::floor(97 * weights[i]));
      EXPECT_LE(count[i], std::ceil(97 * weights[i]));
    }
  }
}

TEST(Resample, IsUnbiased) {
  const std::vector<double> weights = {0.15, 0.05, 0.62, 0.18};
  std::vector<double> mean(4);
  const int repeats = 20'000;
  for (int seed = 0; seed < repeats; ++seed) {
    const auto count = counts(resample(numbered(weights), 5, RngKey::from_seed(seed)), 4);
    for (int i = 0; i < 4; ++i) mean[i] += count[i] / (5.0 * repeats);
  }
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(mean[i], weights[i], 6 * 0.5 / 5 / std::sqrt(repeats));
}

TEST(Resample, NeverPicksWeightZeroAndNeedsNoNormalisation) {
  const auto count = counts(resample(numbered({0, 3, 0, 1, 0}), 8, RngKey::from_seed(4)), 5);
  EXPECT_THAT(count, testing::ElementsAre(0, 6, 0, 2, 0));
}

TEST(Resample, EqualWeightsAndTheSameCountIsTheIdentity) {
  Particles p = numbered({1, 1, 1});
  p.weights.clear();
  EXPECT_EQ(resample(p, 3, RngKey::from_seed(1)).states, p.states);
}

TEST(Resample, RefusesNothing) {
  EXPECT_THROW(resample(Particles(4, 0), 3, RngKey::from_seed(1)), InvariantError);
}

}  // namespace
}  // namespace penumbra
