#include "penumbra/search/belief_execution.h"

#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/evaluate/score.h"
#include "penumbra/model/classified.h"
#include "penumbra/nn/value_bank.h"
#include "penumbra/policy/classifying.h"
#include "penumbra/solvers/nvi/nvi.h"
#include "tests/conformance/solver_kit.h"

namespace penumbra {
namespace {

Solution solve(const Pomdp& model, bool sweep) {
  const auto solver = make_nvi();
  OptionList list = solver->options();
  list.set("evaluations", "2000");
  list.set("sweep", sweep ? "true" : "false");
  Limits limits;
  limits.seconds = 0;
  limits.backups = 600;
  ThreadPool pool(2);
  return solver->solve(model, limits, 3, pool, {});
}

Score score(const Pomdp& model, const Policy& policy, int threads) {
  ThreadPool pool(threads);
  EvaluateOptions how;
  how.episodes = 300;
  return evaluate(model, policy, how, pool);
}

TEST(BeliefExecution, IsNoWorseThanTheController) {
  const auto model = load_finite_domain("rock-sample(n=4,k=3)");
  const Solution s = solve(*model, true);
  const Score plain = score(*model, FscPolicy(controller_of(s), model->facts()), 2);
  const Score with_belief =
      score(*model, *search::belief_execution(*model, *policy_as<Fnc>(s.policy), 2000), 2);
  EXPECT_GT(with_belief.mean, plain.mean - 4 * plain.standard_error);
}

TEST(BeliefExecution, SameScoreForAnyNumberOfThreads) {
  const auto model = load_finite_domain("rock-sample(n=4,k=3)");
  const Solution s = solve(*model, false);
  const auto policy = search::belief_execution(*model, *policy_as<Fnc>(s.policy), 64);
  EXPECT_EQ(score(*model, *policy, 1).mean, score(*model, *policy, 3).mean);
}

// Without networks there is nothing to choose by: the node alone acts, on the groups of what the
// filter sees as it is.
TEST(BeliefExecution, TakesObservationsAsTheyAre) {
  const auto model = load_finite_domain("light-dark(clusters=5)");
  const Classified* groups = groups_of_likelihood(*model);
  ASSERT_NE(groups, nullptr);
  Fnc controller;
  Fsc& fsc = controller.fsc;
  fsc.num_observations = 5;
  for (int n = 0; n < 3; ++n) fsc.add_node(n % model->facts().num_actions);
  for (size_t e = 0; e < fsc.edges.size(); ++e) fsc.edges[e] = static_cast<int>((e * 7 + 1) % 3);
  const auto plain = classifying(std::make_shared<FscPolicy>(fsc, model->facts()), *groups);
  const auto with_belief = search::belief_execution(*model, controller, 64);
  EXPECT_EQ(score(groups->inner(), *with_belief, 2).mean, score(groups->inner(), *plain, 2).mean);
}

// Every node that is reached has a network, and the start's promises what the controller gives.
TEST(PolicyEvaluation, NetworksOfTheSolutionBelongToItsNodes) {
  const auto model = load_finite_domain("rock-sample(n=4,k=3)");
  const Solution s = solve(*model, true);
  ASSERT_EQ(policy_as<Fnc>(s.policy)->alpha.size(), controller_of(s).num_nodes());
  const int start = policy_as<Fnc>(s.policy)->alpha[controller_of(s).start];
  ASSERT_GE(start, 0);
  RecordBuffer states(model->state_size(), 1000);
  model->sample_initial({RngKey::from_seed(5)}, states);
  FeatureBatch batch(model->features(), 1000);
  model->encode(states, batch, 0);
  const std::vector<int32_t> group(1000, 0);
  std::vector<double> sums(policy_as<Fnc>(s.policy)->networks->size());
  policy_as<Fnc>(s.policy)->networks->predict_sums(batch, {group, 1, {}}, sums);
  EXPECT_NEAR(sums[start] / 1000, s.estimate, 1.5);
}

}  // namespace
}  // namespace penumbra
