#include "penumbra/base/parameter_search.h"

#include <gtest/gtest.h>

#include <cmath>

#include "penumbra/base/error.h"

namespace penumbra {
namespace {

const std::vector<Range> kRanges = {{"rate", 1e-5, 1e-1, true},
                                    {"epochs", 2, 8, false, true},
                                    {"shape", 0, 1, false, false, {"a", "b", "c"}},
                                    {"idle", 0, 1}};

// Best at rate 1e-3 and shape b; `idle` does not matter.
double score(const std::vector<double>& x) {
  const double rate = std::log10(std::stod(kRanges[0].text(x[0])));
  return -(rate + 3) * (rate + 3) + (kRanges[2].text(x[2]) == "b" ? 1 : 0);
}

std::vector<Tried> search(bool follow, int count, uint64_t seed) {
  std::vector<Tried> tried;
  for (int i = 0; i < count; ++i) {
    Rng rng(RngKey::from_seed(seed), i);
    const auto x = follow ? propose_parzen(kRanges, tried, rng) : propose_random(kRanges, rng);
    tried.push_back({x, score(x)});
  }
  return tried;
}

TEST(ParameterSearch, ValuesStayInTheirRanges) {
  EXPECT_EQ(kRanges[0].text(0), "1e-05");
  EXPECT_EQ(kRanges[0].text(1), "0.1");
  EXPECT_EQ(kRanges[1].text(0), "2");
  EXPECT_EQ(kRanges[1].text(1), "8");
  EXPECT_EQ(kRanges[2].text(0.99), "c");
  EXPECT_THROW((Range{"x", 2, 1}.validate()), Error);
  EXPECT_THROW((Range{"x", 0, 1, true}.validate()), Error);
  EXPECT_THROW((Range{"x", 0.5, 2, false, true}.validate()), Error);
}

TEST(ParameterSearch, FollowingWhatWasTriedBeatsChance) {
  double followed = 0, by_chance = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    for (const Tried& t : search(true, 40, seed)) followed += t.score;
    for (const Tried& t : search(false, 40, seed)) by_chance += t.score;
  }
  EXPECT_GT(followed, 0.6 * by_chance);  // scores are below zero
}

TEST(ParameterSearch, ImportanceFindsWhatMatters) {
  const auto shares = importance(kRanges, search(false, 300, 1));
  EXPECT_GT(shares[0], 0.5);
  EXPECT_GT(shares[2], 0.01);
  EXPECT_LT(shares[1], 0.03);
  EXPECT_LT(shares[3], 0.03);
  EXPECT_EQ(importance(kRanges, {})[0], 0);
}

}  // namespace
}  // namespace penumbra
