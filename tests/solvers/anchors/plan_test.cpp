#include "penumbra/solvers/anchors/plan.h"

#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/evaluate/score.h"
#include "penumbra/nn/value_bank.h"
#include "tests/solvers/anchors/junk_inputs.h"

namespace penumbra::anchors {
namespace {

double score_of(const Pomdp& model, const PlanOptions& options, ThreadPool& pool,
                uint64_t backups = 600) {
  Plan plan(model, options, RngKey::from_seed(1), pool);
  while (plan.backups() < backups && !plan.finished()) plan.run([] { return false; });
  EvaluateOptions evaluation;
  evaluation.episodes = 20'000;
  return evaluate(model, FscPolicy(plan.controller(), model.facts()), evaluation, pool).mean;
}

TEST(AnchorsPlan, IsAGoodControllerOfTheModelItself) {
  ThreadPool pool(2);
  EXPECT_GT(score_of(*load_finite_domain("light-dark"), {}, pool), 3.6);
}

TEST(AnchorsPlan, IsTheSameForAnyNumberOfThreadsAndAfterAnArchive) {
  const auto model = load_finite_domain("light-dark");
  ThreadPool one(1), three(3);
  const PlanOptions options{.table = {.anchors = 300}};
  Plan a(*model, options, RngKey::from_seed(1), one),
      b(*model, options, RngKey::from_seed(1), three);
  for (int round = 0; round < 3; ++round) {
    a.run([] { return false; });
    b.run([] { return false; });
  }
  EXPECT_EQ(a.controller(), b.controller());
  BytesSink sink;
  Saver saver(sink);
  a.archive(saver);
  BytesSource source(sink.bytes);
  Loader loader(source);
  Plan c(*model, options, RngKey::from_seed(1), one);
  c.archive(loader);
  b.run([] { return false; });
  c.run([] { return false; });
  EXPECT_EQ(b.controller(), c.controller());
}

TEST(AnchorsPlan, GivesItsFunctionsAwayWithTheController) {
  ThreadPool pool(2);
  const auto model = load_finite_domain("laser-tag(map=emu4)");
  Plan plan(*model, {}, RngKey::from_seed(1), pool);
  while (plan.backups() < 300) plan.run([] { return false; });
  const std::vector<Fnc> offered = plan.controllers();
  ASSERT_EQ(offered.size(), 1);
  ASSERT_TRUE(offered[0].networks);
  EXPECT_EQ(offered[0].fsc, plan.controller());
  const int start = offered[0].alpha[offered[0].fsc.start];
  ASSERT_GE(start, 0);
  constexpr int kStates = 20'000;
  RecordBuffer states(model->state_size(), kStates);
  model->sample_initial({RngKey::from_seed(2)}, states);
  FeatureBatch features(model->features(), kStates);
  model->encode(states, features);
  std::vector<float> values(kStates);
  offered[0].networks->predict_rows(features, std::vector<int32_t>(kStates, start), values);
  double sum = 0;
  for (float v : values) sum += v;
  EXPECT_NEAR(sum / kStates, plan.claim(), 0.2);
}

TEST(AnchorsPlan, CountsObservationsWhereThereIsNoLikelihood) {
  class BlackBox final : public Decorated {
   public:
    explicit BlackBox(std::unique_ptr<Pomdp> model) : Decorated(std::move(model)) {
      set_facts(inner().facts(), inner().capabilities().without(Capability::kLikelihood),
                inner().state_size(), inner().seen_size(), inner().action_size());
    }
  };
  ThreadPool pool(2);
  const BlackBox model(load_finite_domain("light-dark"));
  EXPECT_GT(score_of(model, {}, pool), 3.4);
}

TEST(AnchorsPlan, LooksAroundWhereNothingElseIsFound) {
  ThreadPool pool(2);
  const auto model =
      load_finite_domain("light-dark(dimensions=4,clusters=24,cluster_sharpest=0.3)");
  EXPECT_GT(score_of(*model, {}, pool, 1500), 0.3);
}

TEST(AnchorsPlan, TakesFewerAnchorsWhereMemoryIsShort) {
  ThreadPool pool(1);
  const auto model = load_finite_domain("light-dark");
  PlanOptions options;
  options.memory = 1e6;
  const Plan plan(*model, options, RngKey::from_seed(1), pool);
  EXPECT_LT(plan.simulator_steps(), 200 * 3 * 4);
}

}  // namespace
}  // namespace penumbra::anchors
