#include "penumbra/solvers/controller/tune_nodes.h"

#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/solvers/controller/visits.h"
#include "tests/solvers/every_node.h"
#include "tests/solvers/tiger_nodes.h"

namespace penumbra::controller {
namespace {

constexpr int kListen = 0;  // of tiger

// Listens for ever; beside it the two doors.
Fsc listener(const Pomdp& tiger) {
  Fsc fsc;
  fsc.num_observations = tiger.facts().num_observations;
  for (int a = 0; a < tiger.facts().num_actions; ++a) fsc.add_node(a);
  fsc.start = kListen;
  return fsc;
}

TEST(Visits, CountDiscountedStepsOfEveryNode) {
  const auto tiger = load_finite_domain("tiger");
  ThreadPool pool(2);
  const Visits visits =
      collect_visits(*tiger, listener(*tiger), 4000, 60, 100, RngKey::from_seed(1), pool);
  double expected = 0;
  for (int t = 0; t < 60; ++t) expected += 4000 * std::pow(0.95, t);
  EXPECT_NEAR(visits.count[kListen], expected, 0.02 * expected);
  EXPECT_EQ(visits.states[kListen].count(), 100);
  EXPECT_EQ(visits.count[1] + visits.count[2], 0);
  EXPECT_EQ(visits.steps, 4000 * 60);
}

TEST(Visits, AreTheSameForAnyNumberOfThreads) {
  const auto model = load_finite_domain("light-dark");
  Fsc fsc = listener(*model);
  ThreadPool one(1), three(3);
  const auto a = collect_visits(*model, fsc, 2000, 20, 64, RngKey::from_seed(2), one);
  const auto b = collect_visits(*model, fsc, 2000, 20, 64, RngKey::from_seed(2), three);
  EXPECT_EQ(a.states, b.states);
  EXPECT_EQ(a.count, b.count);
}

// Hears twice and then only listens, whatever it heard. The doors are there, but nothing leads to
// them and nothing leads on from them.
TEST(TuneNodes, ImproveAPoorController) {
  using N = TigerNodes;
  const TigerNodes tiger;
  Fsc poor = tiger.fsc;
  poor.start = N::kEven;
  for (int node : {N::kLeft, N::kRight, N::kOpenLeft, N::kOpenRight})
    for (int o = 0; o < 2; ++o) poor.set_edge(node, o, N::kListenForever);
  ASSERT_NEAR(fsc_value(poor, tiger.table), -20, 1e-6);
  RoundsOptions options;
  options.tune_episodes = 2000;
  options.tune_states = 2048;
  std::vector<Fsc> results;
  for (int threads : {1, 3}) {
    ThreadPool pool(threads);
    Fsc fsc = poor;
    const TuneReport r =
        tune_nodes(*tiger.model, options, EveryNode(), 200, fsc, RngKey::from_seed(4), pool);
    EXPECT_EQ(r.changed, 2u);
    EXPECT_EQ(fsc.next(N::kLeft, 0), N::kOpenRight);
    EXPECT_EQ(fsc.next(N::kRight, 1), N::kOpenLeft);
    EXPECT_GT(fsc_value(fsc, tiger.table), -15);
    results.push_back(fsc);
  }
  EXPECT_EQ(results[0], results[1]);
}

// Nothing better than the best controller is found where there is nothing better.
TEST(TuneNodes, LeaveTheBestControllerAlone) {
  const TigerNodes tiger;
  RoundsOptions options;
  options.tune_episodes = 2000;
  options.tune_states = 2048;
  ThreadPool pool(2);
  Fsc fsc = tiger.fsc;
  fsc.start = TigerNodes::kEven;
  const double before = fsc_value(fsc, tiger.table);
  const TuneReport r =
      tune_nodes(*tiger.model, options, EveryNode(), 200, fsc, RngKey::from_seed(5), pool);
  EXPECT_EQ(r.backups, 5u);  // the nodes that are visited
  EXPECT_GT(fsc_value(fsc, tiger.table), before - 0.1);
}

}  // namespace
}  // namespace penumbra::controller
