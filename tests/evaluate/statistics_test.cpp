#include "penumbra/evaluate/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "domains/registry.h"
#include "penumbra/evaluate/episode_blocks.h"
#include "penumbra/policy/named.h"

namespace penumbra {
namespace {

// Values of printed tables of Student's t, and closed forms for 1 and 2 degrees of freedom.
TEST(StudentT, HasTheProbabilitiesOfTheTables) {
  EXPECT_NEAR(two_sided_p(12.7062, 1), 0.05, 1e-6);
  EXPECT_NEAR(two_sided_p(2.77645, 4), 0.05, 1e-6);
  EXPECT_NEAR(two_sided_p(4.60409, 4), 0.01, 1e-6);
  EXPECT_NEAR(two_sided_p(2.04227, 30), 0.05, 1e-6);
  EXPECT_NEAR(two_sided_p(-1.0, 1), 0.5, 1e-14);
  EXPECT_NEAR(two_sided_p(3.0, 2), 1 - 3 / std::sqrt(11.0), 1e-14);
  EXPECT_NEAR(two_sided_p(1.959963984540054, HUGE_VAL), 0.05, 1e-12);
  EXPECT_NEAR(two_sided_p(1.96, 1e7), two_sided_p(1.96, HUGE_VAL), 1e-7);
  EXPECT_EQ(two_sided_p(0, 5), 1);
  EXPECT_GT(two_sided_p(40, 999), 0);
  EXPECT_LT(two_sided_p(40, 999), 1e-200);
}

TEST(Holm, CorrectsStepDownAndLeavesOutWhatWasNotTested) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const double p[] = {0.01, 0.04, none, 0.03, 0.005};
  const std::vector<double> corrected = holm_corrected(p);
  EXPECT_NEAR(corrected[4], 0.02, 1e-15);
  EXPECT_NEAR(corrected[0], 0.03, 1e-15);
  EXPECT_NEAR(corrected[3], 0.06, 1e-15);
  EXPECT_NEAR(corrected[1], 0.06, 1e-15);  // never below a smaller one
  EXPECT_TRUE(std::isnan(corrected[2]));
}

// Student's own sleep data: t = -4.0621 with 9 degrees of freedom, p = 0.002833.
TEST(PairedTest, AgreesWithStudentsSleepData) {
  const double d[] = {-1.2, -2.4, -1.3, -1.3, 0, -1.0, -1.8, -0.8, -4.6, -1.4};
  const PairedTest test = paired_test(d);
  EXPECT_NEAR(test.mean, -1.58, 1e-12);
  EXPECT_NEAR(test.mean / test.standard_error, -4.0621, 5e-5);
  EXPECT_NEAR(test.p, 0.002833, 5e-7);
}

TEST(PairedTest, SaysNothingWhereNothingIsKnown) {
  const double one[] = {3}, same[] = {0, 0, 0}, shift[] = {1, 1};
  EXPECT_TRUE(std::isnan(paired_test(one).p));
  EXPECT_TRUE(std::isnan(paired_test(same).p));
  EXPECT_EQ(paired_test(shift).p, 0);
}

TEST(EpisodeBlocks, AreTheEpisodesOfTheScore) {
  const auto model = load_domain("tiger");
  const auto policy = named_policy("random", *model);
  ThreadPool one(1), two(2);
  EvaluateOptions how;
  how.episodes = 5000;
  EpisodeBlocks blocks, again;
  const Score score = evaluate(*model, *policy, how, one, blocks);
  EXPECT_EQ(score.mean, evaluate(*model, *policy, how, two, again).mean);
  EXPECT_EQ(score.mean, evaluate(*model, *policy, how, one).mean);
  EXPECT_EQ(blocks.block, 5u);
  EXPECT_EQ(blocks.means, again.means);
  double sum = 0;
  for (double mean : blocks.means) sum += mean;
  EXPECT_NEAR(sum / 1000, score.mean, 1e-9);
}

}  // namespace
}  // namespace penumbra
