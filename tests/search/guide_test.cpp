#include "penumbra/search/guide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "penumbra/search/guide_values.h"
#include "tests/error_of.h"
#include "tests/search/planner_kit.h"

namespace penumbra::search {
namespace {

using testing::ElementsAre;

constexpr RngKey kKey = RngKey::from_seed(1);

TEST(Guide, BlindPoliciesBeginWithTheBestAtTheStart) {
  const auto rocks = load_domain("rock-sample(n=4,k=4)");
  const auto guide = Guide::blind(*rocks, kKey);
  EXPECT_TRUE(guide->is_blind());
  EXPECT_EQ(guide->start(), -1);
  EXPECT_EQ(rocks->facts().action_name(guide->fsc().action[0]), "east");
  const auto tiger = load_domain("tiger");
  EXPECT_EQ(tiger->facts().action_name(Guide::blind(*tiger, kKey)->fsc().action[0]), "listen");
}

TEST(Guide, BlindPoliciesNeedFiniteSets) {
  const auto model = load_domain("light-dark");
  EXPECT_THAT(error_of([&] { Guide::blind(*model, kKey); }),
              testing::HasSubstr("finite observations"));
}

TEST(Guide, AControllerForAnotherModelIsRefused) {
  const auto model = load_domain("rock-sample(n=4,k=4)");
  EXPECT_NE(error_of([&] { Guide(*model, Fnc{best_of_tiger()}, "tiger.policy"); }), "");
}

TEST(Guide, FollowsItsOwnActionAndWaitsOtherwise) {
  const auto model = load_domain("tiger");
  const Guide guide(*model, Fnc{best_of_tiger()}, "best");
  int node = 0, other = -1;
  guide.follow(0, 1, node, other);
  EXPECT_EQ(node, 2);
  EXPECT_EQ(other, -1);
  guide.follow(1, 0, node, other);  // a door was opened, and node 2 would have listened
  EXPECT_EQ(node, 2);
  EXPECT_EQ(other, 0);
  std::vector<int> nodes;
  guide.after(2, 1, 0, nodes);
  EXPECT_THAT(nodes, ElementsAre(0, 2));
  guide.after(2, 0, 1, nodes);
  EXPECT_THAT(nodes, ElementsAre(4));
  const RecordBuffer states = tigers(1, 1);
  guide.at_root({states, {}, 3, 1}, nodes);
  EXPECT_THAT(nodes, ElementsAre(3, 1));
}

// Without a node the controller begins.
TEST(Guide, AtARootWithoutANodeItStarts) {
  const auto model = load_domain("tiger");
  const Guide guide(*model, Fnc{best_of_tiger()}, "best");
  const RecordBuffer states = tigers(1, 1);
  std::vector<int> nodes;
  guide.at_root({states}, nodes);
  EXPECT_THAT(nodes, ElementsAre(0));
}

TEST(GuideValues, ChooseTheBestNodeOfEveryBelief) {
  const auto model = load_domain("tiger");
  const Guide guide(*model, Fnc{best_of_tiger()}, "best");
  const RecordBuffer states = tigers(800, 800);
  GuideQuery query;
  query.states = states;
  query.add(800, std::vector{0, 3, 4});
  query.add(800, std::vector{0, 3, 4});
  std::vector<double> value(2);
  std::vector<int> node(2);
  GuideValues values(guide, nullptr);
  values.best(query, value, node);
  EXPECT_THAT(node, ElementsAre(3, 4));  // the tiger is on the left, on the right
  EXPECT_NEAR(value[0], 10 + 0.95 * 19.37, 5);
  EXPECT_NEAR(value[1], 10 + 0.95 * 19.37, 5);
}

TEST(GuideValues, AreKeptAndTheSameForAnyThreads) {
  const auto model = load_domain("rock-sample(n=4,k=4)");
  const auto guide = Guide::blind(*model, kKey);
  const RecordBuffer states = start_states(*model, 5000);
  GuideQuery query;
  query.states = states;
  std::vector<int> candidates;
  guide->at_root({states}, candidates);
  query.add(5000, candidates);
  double alone = 0, shared = 0;
  int node = 0;
  GuideValues first(*guide, nullptr);
  first.best(query, {&alone, 1}, {&node, 1});
  EXPECT_NEAR(alone, 10 * std::pow(0.95, 3), 1e-5);
  const uint64_t steps = first.steps();
  EXPECT_GT(steps, 0);
  first.best(query, {&shared, 1}, {&node, 1});
  EXPECT_EQ(first.steps(), steps);
  EXPECT_EQ(shared, alone);
  ThreadPool pool(3);
  GuideValues second(*guide, &pool);
  second.best(query, {&shared, 1}, {&node, 1});
  EXPECT_EQ(shared, alone);
}

TEST(GuideValues, WeightsCount) {
  const auto model = load_domain("tiger");
  const Guide guide(*model, Fnc{best_of_tiger()}, "best");
  const RecordBuffer states = tigers(1, 1);
  const std::vector<double> weights = {0.01, 0.99};
  GuideQuery query;
  query.states = states;
  query.weights = weights;
  query.add(2, std::vector{0, 3, 4});
  double value = 0;
  int node = 0;
  GuideValues(guide, nullptr).best(query, {&value, 1}, {&node, 1});
  EXPECT_EQ(node, 4);
}

}  // namespace
}  // namespace penumbra::search
