#include "penumbra/solvers/nvi/head_plan.h"

#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/base/error.h"
#include "penumbra/evaluate/score.h"

namespace penumbra::nvi {
namespace {

constexpr const char* kRocks = "rock-sample(n=3,k=2)";  // optimum 15.0878

SampleModel sampled(const Pomdp& model, ThreadPool& pool, SampleModelOptions options = {}) {
  return SampleModel(model, options, RngKey::from_seed(1), pool, {});
}

TEST(SampleModel, HasACategoryForEveryPlaceOfTheRobot) {
  const auto model = load_domain(kRocks);
  ThreadPool pool(1);
  const SampleModel samples = sampled(*model, pool);
  EXPECT_EQ(samples.num_categories(), 9);
  EXPECT_EQ(samples.width(), 3);  // a constant and two rocks
  for (int c = 0; c < 9; ++c) EXPECT_EQ(samples.samples(c), 64);
}

TEST(SampleModel, FitsALinearFunctionExactlyButForThePenalty) {
  const auto model = load_domain(kRocks);
  ThreadPool pool(1);
  const SampleModel samples = sampled(*model, pool, {.ridge = 1e-6});
  const std::span<const float> own = samples.own_u(0), fit = samples.fit(0);
  const float wanted[] = {3, -2, 5};
  for (int d = 0; d < 3; ++d) {
    float weight = 0;
    for (int m = 0; m < 64; ++m) {
      float y = 0;
      for (int k = 0; k < 3; ++k) y += wanted[k] * own[m * 3 + k];
      weight += fit[d * 64 + m] * y;
    }
    EXPECT_NEAR(weight, wanted[d], 1e-3);
  }
}

TEST(SampleModel, RefusesMoreCategoriesThanItMayKeep) {
  const auto model = load_domain(kRocks);
  ThreadPool pool(1);
  EXPECT_THROW(sampled(*model, pool, {.most_categories = 4}), Error);
}

TEST(GatedHeads, CorrectWhatANodeClaimsWhereItWasExecuted) {
  const auto model = load_domain(kRocks);
  ThreadPool pool(1);
  const SampleModel samples = sampled(*model, pool);
  GatedHeads heads(samples, -100);
  heads.add(0, 2, std::vector<float>{8, 0, 0});
  heads.add(1, 2, std::vector<float>{7, 2, 0});
  const BeliefMoments known{{{2, {1, 0.5f, 0}}}}, unknown{{{2, {1, 0, 0}}}};
  EXPECT_EQ(heads.best(known).node, 0);  // both 8: the first
  EXPECT_EQ(heads.best(unknown).node, 0);
  heads.correct(0, 2, -75.0f, 75);  // it returned one less each time
  EXPECT_FLOAT_EQ(heads.shift(0, 2), -0.75f);
  EXPECT_EQ(heads.best(known).node, 1);
  EXPECT_FLOAT_EQ(heads.best(unknown).value, 7.25f);
}

TEST(GatedHeads, AreNotRaisedByLuckyReturns) {
  const auto model = load_domain(kRocks);
  ThreadPool pool(1);
  const SampleModel samples = sampled(*model, pool);
  GatedHeads heads(samples, -100);
  heads.add(0, 2, std::vector<float>{8, 0, 0});
  heads.correct(0, 2, 75.0f, 75);
  EXPECT_FLOAT_EQ(heads.shift(0, 2), 0);
  heads.correct(0, 2, -150.0f, 100);  // what was lucky still counts
  EXPECT_FLOAT_EQ(heads.shift(0, 2), -0.375f);
}

TEST(GatedHeads, AreWorthTheLeastWhereTheyWereNotMade) {
  const auto model = load_domain(kRocks);
  ThreadPool pool(1);
  const SampleModel samples = sampled(*model, pool);
  GatedHeads heads(samples, -100);
  for (int c : {0, 1}) heads.add(0, c, std::vector<float>{1, 0, 0});
  heads.add(1, 0, std::vector<float>{9, 0, 0});
  const BeliefMoments two{{{0, {0.5f, 0, 0}}, {1, {0.5f, 0, 0}}}};
  EXPECT_EQ(heads.best(two).node, 0);
  EXPECT_FLOAT_EQ(heads.best(two).value, 1);
}

struct Planned {
  explicit Planned(int threads)
      : pool(threads),
        values(make_mdp_value(*model, {}, RngKey::from_seed(2), pool)),
        plan(*model, {}, *values, RngKey::from_seed(3), pool, {}) {}
  void run(int rounds) {
    for (int i = 0; i < rounds; ++i) plan.run([] { return false; });
  }
  std::unique_ptr<Pomdp> model = load_domain(kRocks);
  ThreadPool pool;
  std::unique_ptr<MdpValue> values;
  HeadPlan plan;
};

TEST(HeadPlan, FindsAGoodControllerWithoutRolloutsAndSaysWhatItIsWorth) {
  Planned p(2);
  p.run(60);
  const Fsc fsc = p.plan.controllers().front().fsc;
  const Score score =
      evaluate(*p.model, FscPolicy(fsc, p.model->facts()), {.episodes = 20'000}, p.pool);
  EXPECT_GT(score.mean, 0.9 * 15.0878);
  EXPECT_NEAR(p.plan.claim(), score.mean, 0.7);
}

TEST(HeadPlan, IsTheSameForAnyNumberOfThreadsAndAfterAnArchive) {
  Planned one(1), three(3), resumed(2);
  one.run(10);
  three.run(6);
  BytesSink sink;
  Saver saver(sink);
  three.plan.archive(saver);
  BytesSource source(sink.bytes);
  Loader loader(source);
  resumed.plan.archive(loader);
  resumed.run(4);
  EXPECT_EQ(one.plan.backups(), resumed.plan.backups());
  EXPECT_EQ(one.plan.claim(), resumed.plan.claim());
  EXPECT_EQ(one.plan.controllers()[0].fsc, resumed.plan.controllers()[0].fsc);
}

TEST(HeadPlan, IsOverWhenManyMoreBackupsGainNothing) {
  Planned p(2);
  p.plan.judged(10);
  EXPECT_FALSE(p.plan.finished());
  while (p.plan.backups() < 1000) p.run(1);
  p.plan.judged(10);
  EXPECT_TRUE(p.plan.finished());
}

}  // namespace
}  // namespace penumbra::nvi
