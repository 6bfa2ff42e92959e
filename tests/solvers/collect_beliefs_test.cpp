#include "penumbra/solvers/value_iteration/collect_beliefs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "domains/registry.h"
#include "penumbra/belief/exact_filter.h"
#include "penumbra/bounds/domain_mdp_value.h"
#include "tests/solvers/bank_values.h"

namespace penumbra::value_iteration {
namespace {

// A tree on a domain, with an empty controller.
struct Fixture {
  explicit Fixture(const std::string& spec, int threads = 2, bool use_likelihood = true)
      : model(load_finite_domain(spec)),
        mdp(*model),
        pool(threads),
        bank(nn::make_bank(model->features(), {}, RngKey::from_seed(3))),
        tree(*model, mdp, {2000, 1000, use_likelihood}, RngKey::from_seed(1), pool, work) {}

  std::unique_ptr<Pomdp> model;
  DomainMdpValue mdp;
  ThreadPool pool;
  Work work;
  std::unique_ptr<nn::ValueBank> bank;
  nvi::BankValues values{*model, *bank, pool, work};
  BeliefTree tree;
};

double share_right(const Particles& belief) {
  double sum = 0;
  for (size_t i = 0; i < belief.count(); ++i)
    sum += belief.weight(i) * belief.states.as<int32_t>(i);
  return sum;
}

TEST(BeliefTree, SuccessorsAgreeWithTheExactFilterWithAndWithoutLikelihood) {
  const auto model = load_domain("tiger");
  ThreadPool pool(2);
  Particles belief(model->state_size(), 2);
  belief.states.as<int32_t>(0) = 0;
  belief.states.as<int32_t>(1) = 1;
  belief.weights = {0.7, 0.3};
  const Tabular table = model->table();
  for (const bool use_likelihood : {true, false}) {
    const Successors found =
        successors(*model, belief, 0, {20'000, 1000, use_likelihood}, RngKey::from_seed(5), pool);
    ASSERT_EQ(found.beliefs.size(), 2u);
    EXPECT_DOUBLE_EQ(found.reward, -1);
    for (const Successor& s : found.beliefs) {
      std::vector<double> exact{0.7, 0.3};
      const double probability = ExactFilter(table).update(exact, 0, s.seen);
      EXPECT_NEAR(s.probability, probability, 0.01);
      EXPECT_NEAR(share_right(s.belief), exact[1], 0.01);
    }
  }
}

TEST(BeliefTree, EndedEpisodesLeaveNoBelief) {
  Fixture f("rock-sample(n=1,k=1)");
  f.tree.expand(0, 2);  // east: out at once
  EXPECT_TRUE(f.tree[0].edges[2].empty());
  EXPECT_DOUBLE_EQ(f.tree[0].reward[2], 10);
}

TEST(BeliefTree, ProbabilitiesOfObservationsSumToOneWhileNothingEnds) {
  Fixture f("rock-sample(n=3,k=3)");
  f.tree.expand(0, 6);  // check the second rock
  double total = 0;
  for (const BeliefTree::Edge& e : f.tree[0].edges[6]) total += e.probability;
  EXPECT_NEAR(total, 1, 1e-9);
}

TEST(CollectBeliefs, UpperValueOfTigerFallsAndStaysAboveTheOptimum) {
  Fixture f("tiger");
  const double before = f.tree[0].upper;
  for (int i = 0; i < 10; ++i) collect_beliefs(f.tree, f.values, {0.01, 20});
  EXPECT_LT(f.tree[0].upper, before);
  EXPECT_GT(f.tree[0].upper, 19.37);
}

TEST(CollectBeliefs, TheWalkStartsAtTheRootAndIsAChain) {
  Fixture f("rock-sample(n=4,k=4)");
  const std::vector<int> beliefs = collect_beliefs(f.tree, f.values, {0.01, 12});
  ASSERT_GT(beliefs.size(), 2u);
  EXPECT_LE(beliefs.size(), 13u);
  EXPECT_EQ(beliefs[0], 0);
  for (size_t i = 1; i < beliefs.size(); ++i) {
    bool child = false;
    for (const auto& edges : f.tree[beliefs[i - 1]].edges)
      for (const BeliefTree::Edge& e : edges) child |= e.child == beliefs[i];
    EXPECT_TRUE(child) << "belief " << i;
  }
}

TEST(CollectBeliefs, SmallGapEndsTheWalkAtOnce) {
  Fixture f("tiger");
  EXPECT_EQ(collect_beliefs(f.tree, f.values, {1e6, 20}), std::vector<int>{0});
}

// QMDP values all actions that only observe alike, so that the first of them is taken again and
// again. From its children a check of a rock that is underfoot is worth more than others.
TEST(CollectBeliefs, LookAheadTellsActionsThatObserveApart) {
  Fixture f("rock-sample(n=3,rocks=[(3,3),(1,1)],start=[(1,1)])");
  const int far = 5, underfoot = 6;  // checks
  EXPECT_EQ(f.tree[0].q_upper[far], f.tree[0].q_upper[underfoot]);
  collect_beliefs(f.tree, f.values, {.max_depth = 3, .look_ahead = true});
  EXPECT_GT(f.tree[0].q_upper[underfoot], f.tree[0].q_upper[far] + 0.1);
}

TEST(CollectBeliefs, FollowsTheControllerUntilItLeaves) {
  Fixture f("tiger");
  nn::FitData data;
  FeatureBatch states(f.bank->layout(), 2);
  const std::vector<float> targets{1, 1};
  data.local = &states;
  data.local_targets = targets;
  ASSERT_TRUE(f.bank->add(data, RngKey::from_seed(1)).good());
  const std::vector<int> actions{0};  // one node, which listens
  const auto walk = collect_beliefs(f.tree, f.values,
                                    {.max_depth = 4,
                                     .follow = true,
                                     .leave = 0,
                                     .actions = actions,
                                     .key = RngKey::from_seed(2)});
  ASSERT_EQ(walk.size(), 5u);
  for (size_t i = 0; i + 1 < walk.size(); ++i) {
    EXPECT_TRUE(f.tree[walk[i]].expanded[0]);
    EXPECT_FALSE(f.tree[walk[i]].expanded[1]);
  }
}

TEST(CollectBeliefs, DoesNotDependOnTheNumberOfThreads) {
  for (const bool use_likelihood : {true, false}) {
    std::vector<int> first;
    double upper = 0;
    for (const int threads : {1, 2, 3}) {
      Fixture f("rock-sample(n=4,k=4)", threads, use_likelihood);
      std::vector<int> all;
      for (int i = 0; i < 3; ++i)
        for (int b : collect_beliefs(f.tree, f.values, {0.01, 10})) all.push_back(b);
      if (threads == 1) first = all, upper = f.tree[0].upper;
      EXPECT_EQ(all, first);
      EXPECT_EQ(f.tree[0].upper, upper);
    }
  }
}

}  // namespace
}  // namespace penumbra::value_iteration
