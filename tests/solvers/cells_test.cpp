#include "penumbra/solvers/cells/plan.h"

#include <gtest/gtest.h>

#include <atomic>

#include "domains/registry.h"
#include "penumbra/base/error.h"
#include "penumbra/evaluate/score.h"

namespace penumbra {
namespace {

Tabular cells_of_light_dark(int threads, int cells) {
  ThreadPool pool(threads);
  AbstractionOptions options;
  options.cells = cells;
  return abstract_model(*load_finite_domain("light-dark"), options, RngKey::from_seed(1), pool);
}

TEST(Abstraction, IsATableWithNoMoreCellsThanAsked) {
  const Tabular t = cells_of_light_dark(2, 80);
  EXPECT_NO_THROW(check_tabular(t, 1e-9));
  EXPECT_LE(t.num_states, 81);
  EXPECT_GE(t.num_states, 40);
  EXPECT_TRUE(t.terminal[t.num_states - 1]);
}

TEST(Abstraction, IsTheSameForAnyNumberOfThreads) {
  const Tabular one = cells_of_light_dark(1, 60), three = cells_of_light_dark(3, 60);
  EXPECT_EQ(one.start, three.start);
  EXPECT_EQ(one.reward, three.reward);
  for (int a = 0; a < one.num_actions; ++a) {
    EXPECT_EQ(one.transition[a], three.transition[a]);
    EXPECT_EQ(one.observation[a], three.observation[a]);
  }
}

TEST(Abstraction, StopsInTheMiddleOfTheGoalForAnAverageReward) {
  // Stopping wins 10 in the cells around the origin and loses 10 far from it.
  const Tabular t = cells_of_light_dark(1, 200);
  const auto [least, most] = std::minmax_element(t.reward[1].begin(), t.reward[1].end());
  EXPECT_EQ(*least, -10);
  EXPECT_EQ(*most, 10);
}

TEST(Abstraction, NeedsCoordinates) {
  ThreadPool pool(1);
  EXPECT_THROW(abstract_model(*load_finite_domain("tiger"), {}, RngKey::from_seed(1), pool), Error);
}

TEST(CellsPlan, IsAGoodControllerOfTheModelItself) {
  const auto model = load_finite_domain("light-dark");
  ThreadPool pool(2);
  cells::Plan plan(*model, {}, RngKey::from_seed(1), pool);
  while (plan.backups() < 400 && !plan.finished()) plan.run([] { return false; });
  EvaluateOptions options;
  options.episodes = 20'000;
  const Score score = evaluate(*model, FscPolicy(plan.controller(), model->facts()), options, pool);
  EXPECT_GT(score.mean, 3.6);
}

TEST(CellsPlan, IsTheSameForAnyNumberOfThreadsAndAfterAnArchive) {
  const auto model = load_finite_domain("light-dark");
  ThreadPool one(1), three(3);
  cells::Plan a(*model, {}, RngKey::from_seed(1), one), b(*model, {}, RngKey::from_seed(1), three);
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
  cells::Plan c(*model, {}, RngKey::from_seed(1), one);
  c.archive(loader);
  b.run([] { return false; });
  c.run([] { return false; });
  EXPECT_EQ(b.backups(), c.backups());
  EXPECT_EQ(b.controller(), c.controller());
}

TEST(CellsPlan, DoesARoundAgainThatWasStopped) {
  const auto model = load_finite_domain("light-dark");
  ThreadPool pool(1);
  cells::Plan whole(*model, {}, RngKey::from_seed(1), pool);
  cells::Plan pieces(*model, {}, RngKey::from_seed(1), pool);
  for (int walk = 0; walk < 3; ++walk) {
    whole.run([] { return false; });
    std::atomic<int> asked = 0;
    EXPECT_FALSE(pieces.run([&] { return ++asked > 20; }));
    EXPECT_TRUE(pieces.run([] { return false; }));
  }
  EXPECT_EQ(whole.backups(), pieces.backups());
  EXPECT_EQ(whole.controller(), pieces.controller());
}

}  // namespace
}  // namespace penumbra
