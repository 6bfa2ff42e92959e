#include "penumbra/solvers/controller/tune_nodes.h"

#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/evaluate/score.h"
#include "penumbra/solvers/controller/visits.h"
#include "penumbra/solvers/nvi/network_candidates.h"

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

double value(const Pomdp& model, const Fsc& fsc) {
  ThreadPool pool(2);
  EvaluateOptions how;
  how.episodes = 20'000;
  return evaluate(model, FscPolicy(fsc, model.facts()), how, pool).mean;
}

// A controller that walks left for ever on light-dark, beside nodes that stop and walk right.
TEST(TuneNodes, ImproveAPoorController) {
  const auto model = load_finite_domain("light-dark");
  RoundsOptions options;
  options.tune_episodes = 4000;
  options.tune_states = 1024;
  const nvi::NetworkCandidates library(*model, {}, RngKey::from_seed(3));
  std::vector<Fsc> results;
  for (int threads : {1, 3}) {
    ThreadPool pool(threads);
    Fsc fsc = listener(*model);
    const double before = value(*model, fsc);
    uint64_t changed = 0;
    for (int i = 0; i < 3; ++i)
      changed +=
          tune_nodes(*model, options, library, 40, fsc, RngKey::from_seed(4).fold(i), pool).changed;
    EXPECT_GE(value(*model, fsc), before);
    EXPECT_LE(changed, 3u * fsc.num_nodes());
    results.push_back(fsc);
  }
  EXPECT_EQ(results[0], results[1]);
}

}  // namespace
}  // namespace penumbra::controller
