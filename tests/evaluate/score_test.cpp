#include "penumbra/evaluate/score.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "domains/registry.h"
#include "penumbra/base/error.h"
#include "penumbra/base/thread_team.h"
#include "penumbra/evaluate/episode_blocks.h"
#include "penumbra/policy/named.h"
#include "penumbra/policy/simple.h"
#include "tests/policy/tiger_controllers.h"

namespace penumbra {
namespace {

EvaluateOptions episodes(uint64_t count, uint64_t seed = 1, int max_steps = 0) {
  EvaluateOptions o;
  o.episodes = count;
  o.seed = seed;
  o.max_steps = max_steps;
  return o;
}

TEST(Evaluate, AlwaysEastFromTheCornerIsKnownExactly) {
  ThreadPool pool(2);
  for (int n : {7, 11, 15, 20}) {
    const std::string size = std::to_string(n);
    const auto model = load_domain("rock-sample(n=" + size + ",k=" + std::to_string(n) + ")");
    const auto east = named_policy("blind(action=east)", *model);
    const Score score = evaluate(*model, *east, episodes(3000), pool);
    EXPECT_NEAR(score.mean, 10 * std::pow(0.95, n - 1), 1e-12);
    EXPECT_NEAR(score.standard_error, 0, 1e-12);
    EXPECT_EQ(score.steps, 3000u * n);
    EXPECT_EQ(score.truncated, 0);
    EXPECT_EQ(score.truncation_bound, 0);
  }
}

TEST(Evaluate, IsBitIdenticalForAnyNumberOfThreads) {
  const auto model = load_domain("light-dark(clusters=20)");
  const RandomPolicy policy(*model);
  ThreadPool one(1);
  const Score expected = evaluate(*model, policy, episodes(70'000), one);  // two rounds
  for (int threads : {2, 3, 8}) {
    ThreadPool pool(threads);
    const Score score = evaluate(*model, policy, episodes(70'000), pool);
    EXPECT_EQ(score.mean, expected.mean);
    EXPECT_EQ(score.standard_error, expected.standard_error);
    EXPECT_EQ(score.steps, expected.steps);
    EXPECT_EQ(score.low, expected.low);
  }
}

TEST(Evaluate, IsBitIdenticalForAnyNumberOfRanks) {
  const auto model = load_domain("light-dark(clusters=20)");
  const RandomPolicy policy(*model);
  const auto blind = named_policy("blind(action=left)", *model);
  ThreadPool one(1);
  EvaluateOptions o = episodes(70'000);
  const Score expected = evaluate(*model, policy, o, one);
  const Comparison both = compare(*model, policy, *blind, o, one);
  for (const bool may_be_stopped : {false, true})
    for (int ranks = 1; ranks <= 4; ++ranks)
      for (const std::exception_ptr& thrown : run_as_team(ranks, [&](Team& team) {
             EvaluateOptions own = o;
             if (may_be_stopped) own.cancelled = [] { return false; };
             ThreadPool pool(1 + team.rank() % 2);
             pool.set_team(team);
             const Score score = evaluate(*model, policy, own, pool);
             EXPECT_EQ(score.mean, expected.mean);
             EXPECT_EQ(score.standard_error, expected.standard_error);
             EXPECT_EQ(score.steps, expected.steps);
             EXPECT_EQ(score.undiscounted.mean, expected.undiscounted.mean);
             const Comparison c = compare(*model, policy, *blind, own, pool);
             EXPECT_EQ(c.difference.mean, both.difference.mean);
             EXPECT_EQ(c.difference.low, both.difference.low);
           }))
        EXPECT_EQ(thrown, nullptr);
}

// Whatever the clocks of the others say.
TEST(Evaluate, EndsOnAllRanksWhenRankZeroSaysSo) {
  const auto model = load_domain("tiger");
  const RandomPolicy policy(*model);
  std::atomic<uint64_t> done[3] = {};
  for (const std::exception_ptr& thrown : run_as_team(3, [&](Team& team) {
         EvaluateOptions o = episodes(10'000'000);
         int asked = 0;
         o.cancelled = [&] { return team.leads() ? ++asked == 3 : team.rank() == 1; };
         ThreadPool pool(1);
         pool.set_team(team);
         done[team.rank()] = evaluate(*model, policy, o, pool).episodes();
       }))
    EXPECT_EQ(thrown, nullptr);
  EXPECT_GT(done[0], 3 * 1024);
  EXPECT_LT(done[0], 10'000'000);
  EXPECT_EQ(done[1], done[0]);
  EXPECT_EQ(done[2], done[0]);
}

TEST(Evaluate, TheSeedDecides) {
  const auto model = load_domain("tiger");
  const RandomPolicy policy(*model);
  ThreadPool pool(2);
  const double first = evaluate(*model, policy, episodes(100, 1), pool).mean;
  EXPECT_EQ(evaluate(*model, policy, episodes(100, 1), pool).mean, first);
  EXPECT_NE(evaluate(*model, policy, episodes(100, 2), pool).mean, first);
}

TEST(Evaluate, AgreesWithExactPolicyEvaluation) {
  const auto model = load_domain("tiger");
  ThreadPool pool(2);
  const FscPolicy policy(tiger_controller(), model->facts());
  const Score score = evaluate(*model, policy, episodes(40'000), pool);
  EXPECT_NEAR(score.mean, fsc_value(tiger_controller(), model->table()),
              4 * score.standard_error + score.truncation_bound);
  EXPECT_LT(score.standard_error, 0.3);
}

TEST(Evaluate, BoundsWhatACutCosts) {
  const auto model = load_domain("tiger");
  ThreadPool pool(2);
  const BlindPolicy listen(*model, Tiger::kListen);
  const Score score = evaluate(*model, listen, episodes(100, 1, 30), pool);
  EXPECT_EQ(score.truncated, 100);
  EXPECT_NEAR(score.truncation_bound, std::pow(0.95, 30) * 100 / 0.05, 1e-9);
  EXPECT_LE(std::abs(score.mean - -20), score.truncation_bound);
  EXPECT_LE(evaluate(*model, listen, episodes(100), pool).truncation_bound, 1e-3);
}

TEST(Evaluate, TellsTheRewardsWithoutDiscountToo) {
  const auto model = load_domain("tiger");
  ThreadPool pool(2);
  const BlindPolicy listen(*model, Tiger::kListen);
  const Score score = evaluate(*model, listen, episodes(100, 1, 30), pool);
  EXPECT_NEAR(score.mean, -(1 - std::pow(0.95, 30)) / 0.05, 1e-9);
  EXPECT_NEAR(score.undiscounted.mean, -30, 1e-9);
  EXPECT_EQ(score.undiscounted.count, 100);
}

TEST(Evaluate, OneEpisodeSaysNothingAboutTheSpread) {
  const auto model = load_domain("tiger");
  ThreadPool pool(1);
  const Score score = evaluate(*model, RandomPolicy(*model), episodes(1), pool);
  EXPECT_EQ(score.low, -HUGE_VAL);
  EXPECT_EQ(score.high, HUGE_VAL);
}

TEST(Evaluate, RefusesNoEpisodes) {
  const auto model = load_domain("tiger");
  ThreadPool pool(1);
  EXPECT_THROW(evaluate(*model, RandomPolicy(*model), episodes(0), pool), Error);
  EXPECT_THROW(evaluate(*model, RandomPolicy(*model), episodes(1, 1, -1), pool), Error);
}

TEST(Evaluate, ReportsProgressAndStopsWhenAsked) {
  const auto model = load_domain("rock-sample(n=2,k=1)");
  ThreadPool pool(2);
  EvaluateOptions o = episodes(1'000'000);
  uint64_t done = 0;
  o.progress = [&](uint64_t n) { done = n; };
  o.cancelled = [&] { return done > 100'000; };
  const Score score = evaluate(*model, *named_policy("blind(action=east)", *model), o, pool);
  EXPECT_EQ(score.episodes(), done);
  EXPECT_LT(done, 200'000);
}

// Acts at random, and remembers as much as a planner does.
class Planner : public Policy {
 public:
  explicit Planner(const Pomdp& model) : random_(model) {}
  std::string describe() const override { return "planner"; }
  size_t memory_size() const override { return 100'000; }
  void start(Streams, Records) const override {
    if (++started_ == fails_at_) throw Error("episode " + std::to_string(started_ - 1));
  }
  void act(Records memory, Streams streams, Records action) const override {
    random_.act(memory, streams, action);
  }
  void observe(Records, ConstRecords, ConstRecords, Streams) const override {}
  int fails_at_ = -1;

 private:
  RandomPolicy random_;
  mutable std::atomic<int> started_ = 0;
};

// One by one: the first so many, each of them to its end, whoever plays which.
TEST(Evaluate, EpisodesThatTakeLongAreStoppedAfterAnyOfThem) {
  const auto model = load_domain("light-dark(clusters=20)");
  const Planner policy(*model);
  for (int threads : {1, 2, 3}) {
    ThreadPool pool(threads);
    EvaluateOptions o = episodes(1000);
    uint64_t told = 0;
    int asked = 0;
    o.progress = [&](uint64_t n) { told = n; };
    o.cancelled = [&] { return ++asked > 20; };
    EpisodeBlocks blocks;
    const Score score = evaluate(*model, policy, o, pool, blocks);
    EXPECT_EQ(score.episodes(), 20u + threads);
    EXPECT_EQ(told, score.episodes());
    ThreadPool one(1);
    EpisodeBlocks all;
    const Score expected = evaluate(*model, policy, episodes(20u + threads), one, all);
    EXPECT_EQ(score.mean, expected.mean);
    EXPECT_EQ(score.standard_error, expected.standard_error);
    EXPECT_EQ(score.steps, expected.steps);
    EXPECT_EQ(blocks.means, all.means);
  }
}

TEST(Evaluate, EveryThreadPlaysAnEpisodeThatTakesLong) {
  const auto model = load_domain("tiger");
  const Planner policy(*model);
  ThreadPool pool(3);
  EvaluateOptions o = episodes(1000);
  o.cancelled = [] { return true; };
  EXPECT_EQ(evaluate(*model, policy, o, pool).episodes(), 3u);
  o.episodes = 2;
  EXPECT_EQ(evaluate(*model, policy, o, pool).episodes(), 2u);
  o.episodes = 50;
  o.cancelled = [] { return false; };
  EXPECT_EQ(evaluate(*model, policy, o, pool).episodes(), 50u);
}

TEST(Evaluate, AnEpisodeThatFailsEndsThoseThatTakeLong) {
  const auto model = load_domain("tiger");
  Planner policy(*model);
  policy.fails_at_ = 6;
  ThreadPool pool(2);
  EvaluateOptions o = episodes(1000);
  o.cancelled = [] { return false; };
  EXPECT_THROW(evaluate(*model, policy, o, pool), Error);
}

TEST(Compare, IdenticalPoliciesDifferByExactlyZero) {
  const auto model = load_domain("tiger");
  ThreadPool pool(2);
  const RandomPolicy a(*model), b(*model);
  const Comparison c = compare(*model, a, b, episodes(3000), pool);
  EXPECT_EQ(c.difference.mean, 0);
  EXPECT_EQ(c.difference.standard_error, 0);
  EXPECT_EQ(c.a.mean, c.b.mean);
}

TEST(Compare, ScoresAreThoseOfEvaluate) {
  const auto model = load_domain("tiger");
  ThreadPool pool(2);
  const RandomPolicy a(*model);
  const FscPolicy b(tiger_controller(), model->facts());
  const Comparison c = compare(*model, a, b, episodes(3000), pool);
  EXPECT_EQ(c.a.mean, evaluate(*model, a, episodes(3000), pool).mean);
  EXPECT_EQ(c.b.standard_error, evaluate(*model, b, episodes(3000), pool).standard_error);
  EXPECT_NEAR(c.difference.mean, c.a.mean - c.b.mean, 1e-9);
}

TEST(Compare, CommonRandomNumbersSharpenTheDifference) {
  const auto model = load_domain("rock-sample(n=5,k=4)");
  ThreadPool pool(2);
  // Alike but for one detour at the start.
  Fsc east{3, 0, {}, {}}, detour{3, 0, {}, {}};
  east.add_node(2);
  detour.add_node(5, 1);
  detour.add_node(2);
  const FscPolicy a(east, model->facts()), b(detour, model->facts());
  const Comparison c = compare(*model, a, b, episodes(2000), pool);
  EXPECT_NEAR(c.difference.mean, 10 * std::pow(0.95, 4) * 0.05, 1e-12);
  EXPECT_NEAR(c.difference.standard_error, 0, 1e-12);
}

// The interval holds the true value as often as it says: 950 of 1000 times, within 3 deviations.
TEST(Evaluate, IntervalsCoverTheKnownValueAsOftenAsTheyShould) {
  const auto model = load_domain("tiger");
  const double truth = fsc_value(tiger_controller(), model->table());
  const FscPolicy policy(tiger_controller(), model->facts());
  ThreadPool pool(2);
  std::vector<char> covered(1000);
  pool.for_chunks(1000, 50, [&](size_t, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      ThreadPool alone(1);
      const Score score = evaluate(*model, policy, episodes(200, 1000 + i), alone);
      covered[i] = score.low <= truth && truth <= score.high;
    }
  });
  const auto count = std::count(covered.begin(), covered.end(), 1);
  EXPECT_NEAR(count, 950, 3 * std::sqrt(1000 * 0.95 * 0.05));
}

TEST(Moments, PartsAddUpToTheWhole) {
  Rng rng(RngKey::from_seed(1), 0);
  Moments whole, left, right;
  for (int i = 0; i < 1000; ++i) {
    const double x = rng.normal(100, 3);
    whole.add(x);
    (i < 300 ? left : right).add(x);
  }
  left.add(right);
  left.add(Moments{});
  EXPECT_NEAR(left.estimate().mean, whole.estimate().mean, 1e-11);
  EXPECT_NEAR(left.estimate().standard_error, whole.estimate().standard_error, 1e-12);
  EXPECT_EQ(left.estimate().count, 1000);
}

TEST(StudentT, KnowsTheTables) {
  EXPECT_NEAR(student_t_975(1), 12.706, 1e-3);
  EXPECT_NEAR(student_t_975(10), 2.228, 1e-3);
  EXPECT_NEAR(student_t_975(30), 2.0423, 1e-3);
  EXPECT_NEAR(student_t_975(1'000'000'000), 1.959964, 1e-6);
}

}  // namespace
}  // namespace penumbra
