#include "penumbra/solvers/controller/verified_backup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/solvers/every_node.h"
#include "tests/solvers/tiger_nodes.h"

namespace penumbra::controller {
namespace {

constexpr int kDepth = 200;  // 0.95^200 = 3.5e-5 of what is left
const BackupOptions kMany{.choose = 1500, .check = 500, .score = 2000};

class VerifiedBackups : public testing::Test {
 protected:
  BackupResult run(double right, int current, uint64_t seed = 1, const BackupOptions& o = kMany,
                   const Hint& hint = {}, double z = 1) {
    const RecordBuffer states = tiger_.draw(right, o.particles(2), seed);
    VerifiedBackup backup(*tiger_.model, o, candidates_, rollouts_);
    return backup.run(tiger_.fsc, states, current, kActions, hint, z, RngKey::from_seed(seed));
  }

  const std::vector<int> kActions{0, 1, 2};
  TigerNodes tiger_;
  EveryNode candidates_;
  Rollouts rollouts_{*tiger_.model, kDepth};
};

// At a belief with 85 % on one side the best backup is kLeft or kRight, at 97 % a door; without
// these nodes each is made anew.
TEST(BackupOptions, ParticlesGrowWithObservationsUpToABound) {
  const BackupOptions options;
  EXPECT_EQ(options.choosing(2), 128);
  EXPECT_EQ(options.choosing(20), 240);
  EXPECT_EQ(options.choosing(1024), 1536);
}

TEST_F(VerifiedBackups, MakeTheExactlyBestNode) {
  struct Case {
    double right;
    std::vector<int> known;
  };
  using N = TigerNodes;
  for (const auto& [right, known] :
       std::vector<Case>{{0.5, {N::kListenForever, N::kLeft, N::kRight}},
                         {0.0, {N::kListenForever, N::kEven, N::kLeft, N::kRight}},
                         {1.0, {N::kListenForever, N::kEven, N::kLeft, N::kRight}}}) {
    candidates_.only = known;
    const TigerNodes::Backup exact = tiger_.backup(right);
    const BackupResult r = run(right, N::kListenForever);
    EXPECT_EQ(tiger_.fsc.action[r.node], exact.action) << right;
    for (int o = 0; o < 2; ++o)
      EXPECT_EQ(tiger_.fsc.next(r.node, o), exact.successor[o]) << right << ' ' << o;
  }
}

// The best node is no candidate, so that the gain is that of a backup.
TEST_F(VerifiedBackups, SayTheExactGainWithinItsError) {
  using N = TigerNodes;
  BackupOptions precise = kMany;
  precise.score = 12'000;
  const std::pair<double, std::vector<int>> cases[] = {
      {0.5, {N::kListenForever, N::kLeft, N::kRight}},
      {0.15, {N::kListenForever, N::kEven, N::kOpenRight}},
      {1.0, {N::kListenForever, N::kEven}}};
  for (const auto& [right, known] : cases)
    for (uint64_t seed : {1, 2}) {
      candidates_.only = known;
      const double exact = tiger_.backup(right).value - tiger_.value(N::kListenForever, right);
      const BackupResult r = run(right, N::kListenForever, seed, precise);
      EXPECT_NEAR(r.gain, exact, 4 * r.gain_error) << right << ' ' << seed;
      EXPECT_LT(r.gain_error, 0.02 * exact);
    }
}

TEST_F(VerifiedBackups, MakeNoNodeIfNothingGains) {
  const Fsc before = tiger_.fsc;
  candidates_.only = {TigerNodes::kListenForever};
  const BackupResult r = run(0.5, TigerNodes::kListenForever);
  EXPECT_FALSE(r.is_new);
  EXPECT_EQ(r.node, TigerNodes::kListenForever);
  EXPECT_EQ(r.gain, 0);
  EXPECT_EQ(tiger_.fsc, before);
}

TEST_F(VerifiedBackups, MakeNoNodeThatGainsLessThanItMust) {
  candidates_.only = {TigerNodes::kListenForever, TigerNodes::kLeft, TigerNodes::kRight};
  const BackupResult r = run(0.5, TigerNodes::kListenForever, 1, kMany, {}, 1e6);
  EXPECT_FALSE(r.is_new);
  EXPECT_NE(r.node, TigerNodes::kEven);
}

// The best node exists, but nobody proposes it.
TEST_F(VerifiedBackups, MakeANodeOnlyOnce) {
  const Fsc before = tiger_.fsc;
  candidates_.only = {TigerNodes::kListenForever, TigerNodes::kLeft, TigerNodes::kRight};
  const BackupResult r = run(0.5, TigerNodes::kListenForever);
  EXPECT_EQ(r.node, TigerNodes::kEven);
  EXPECT_FALSE(r.is_new);
  EXPECT_GT(r.gain, 10);
  EXPECT_EQ(tiger_.fsc, before);
}

TEST_F(VerifiedBackups, AppendANewNodeWithItsReturns) {
  tiger_.fsc.set_edge(TigerNodes::kOpenRight, 0, TigerNodes::kListenForever);
  const Fsc before = tiger_.fsc;
  const TigerNodes::Backup exact = tiger_.backup(0);
  const BackupResult r = run(0, TigerNodes::kOpenRight);
  ASSERT_TRUE(r.is_new);
  EXPECT_EQ(r.node, before.num_nodes());
  EXPECT_EQ(tiger_.fsc.num_nodes(), before.num_nodes() + 1);
  EXPECT_EQ(tiger_.fsc.find(exact.action, exact.successor), r.node);
  EXPECT_EQ(r.training.states.count(), size_t(kMany.training_states));
  EXPECT_EQ(r.training.returns.size(), size_t(kMany.training_states));
}

TEST_F(VerifiedBackups, FollowAHint) {
  candidates_.only = {TigerNodes::kListenForever, TigerNodes::kRight};
  const Hint hint{Tiger::kListen, 0, TigerNodes::kLeft};
  EXPECT_EQ(run(0.5, TigerNodes::kListenForever, 1, kMany, hint).node, TigerNodes::kEven);
  EXPECT_NE(run(0.5, TigerNodes::kListenForever).node, TigerNodes::kEven);
}

// Every particle speaks for both observations, by likelihood.
TEST_F(VerifiedBackups, WeighedByLikelihoodChooseTheSame) {
  BackupOptions weighed = kMany;
  weighed.weigh_from = 2;
  candidates_.only = {TigerNodes::kListenForever, TigerNodes::kLeft, TigerNodes::kRight};
  EXPECT_EQ(run(0.5, TigerNodes::kListenForever, 1, weighed).node, TigerNodes::kEven);
}

TEST_F(VerifiedBackups, FindTheExactlyBestExistingNode) {
  for (const double right : {0.0, 0.15, 0.5, 0.85, 1.0}) {
    VerifiedBackup backup(*tiger_.model, kMany, candidates_, rollouts_);
    const RecordBuffer states = tiger_.draw(right, kMany.particles(2), 5);
    const BackupResult r =
        backup.best_existing(tiger_.fsc, states, TigerNodes::kListenForever, RngKey::from_seed(6));
    EXPECT_EQ(r.node, tiger_.best_node(right)) << right;
    EXPECT_FALSE(r.is_new);
  }
}

}  // namespace
}  // namespace penumbra::controller
