#include "penumbra/evaluate/simulate.h"

#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/policy/named.h"
#include "penumbra/policy/simple.h"

namespace penumbra {
namespace {

std::vector<double> returns_of(const Pomdp& model, const Policy& policy, EpisodeBatch batch) {
  std::vector<double> returns(batch.count);
  simulate(model, policy, batch, returns);
  return returns;
}

TEST(Simulate, EpisodesDoNotDependOnTheirBatch) {
  const auto model = load_domain("rock-sample(n=4,k=3)");
  const RandomPolicy policy(*model);
  const RngKey key = RngKey::from_seed(1);
  const auto whole = returns_of(*model, policy, {key, 100, 60, 200});
  for (size_t i = 0; i < 60; i += 7)
    EXPECT_EQ(returns_of(*model, policy, {key, 100 + i, 1, 200})[0], whole[i]);
}

TEST(Simulate, TraceIsTheSameEpisode) {
  const auto model = load_domain("rock-sample(n=4,k=3)");
  const RandomPolicy policy(*model);
  const RngKey key = RngKey::from_seed(1);
  const auto whole = returns_of(*model, policy, {key, 0, 20, 500});
  for (size_t e = 0; e < 20; ++e) {
    double sum = 0, weight = 1;
    const auto steps = trace(*model, policy, key, e, 500);
    for (const TraceStep& s : steps) {
      sum += weight * s.reward;
      weight *= 0.95;
    }
    EXPECT_DOUBLE_EQ(sum, whole[e]);
    for (size_t t = 0; t + 1 < steps.size(); ++t) EXPECT_EQ(steps[t].next, steps[t + 1].state);
  }
}

TEST(Simulate, CountsStepsAndCutEpisodes) {
  const auto model = load_domain("rock-sample(n=5,k=0)");
  const auto east = named_policy("blind(action=east)", *model);
  std::vector<double> returns(10);
  EpisodeTotals totals = simulate(*model, *east, {RngKey::from_seed(1), 0, 10, 100}, returns);
  EXPECT_EQ(totals.steps, 50);
  EXPECT_EQ(totals.truncated, 0);
  totals = simulate(*model, *east, {RngKey::from_seed(1), 0, 10, 4}, returns);
  EXPECT_EQ(totals.steps, 40);
  EXPECT_EQ(totals.truncated, 10);
  EXPECT_EQ(returns[3], 0);
}

TEST(Simulate, TailBoundAndHorizonAgree) {
  const auto model = load_domain("tiger");
  const int steps = horizon_for(model->facts(), 1e-3);
  EXPECT_LE(tail_bound(model->facts(), steps), 1e-3);
  EXPECT_GT(tail_bound(model->facts(), steps - 1), 1e-3);
  EXPECT_NEAR(tail_bound(model->facts(), 0), 100 / 0.05, 1e-9);
  EXPECT_EQ(horizon_for(load_domain("tiger(discount=0)")->facts(), 1e-3), 1);
}

}  // namespace
}  // namespace penumbra
