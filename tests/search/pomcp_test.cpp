#include "penumbra/search/pomcp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/error_of.h"
#include "tests/search/planner_kit.h"

namespace penumbra::search {
namespace {

TEST(Pomcp, ListensAtFirst) {
  const auto model = load_domain("tiger");
  const Pomcp planner(*model, {}, leaf_of(*model, "blind"));
  EXPECT_EQ(action_of(*model, decide(planner, {start_states(*model)}, 20'000)), "listen");
}

// The best controller there is goes along, so nothing that a search finds is worth more.
TEST(Pomcp, ValueIsTheOptimumWithTheBestController) {
  const auto model = load_domain("tiger");
  const Pomcp planner(*model, {.depth = 4}, make_controller_leaf(*model, best_of_tiger(), 200));
  const Decision now = decide(planner, {start_states(*model)}, 200'000);
  EXPECT_EQ(action_of(*model, now), "listen");
  EXPECT_NEAR(now.value, 19.37, 1.5);
  EXPECT_EQ(now.node, 0);
}

TEST(Pomcp, OpensTheRightDoorWhenSure) {
  const auto model = load_domain("tiger");
  const Pomcp planner(*model, {.depth = 4}, make_controller_leaf(*model, best_of_tiger(), 200));
  EXPECT_EQ(action_of(*model, decide(planner, {tigers(1, 999)}, 50'000)), "open-left");
  EXPECT_EQ(action_of(*model, decide(planner, {tigers(999, 1)}, 50'000)), "open-right");
}

TEST(Pomcp, WeightsOfTheRootCount) {
  const auto model = load_domain("tiger");
  const Pomcp planner(*model, {.depth = 4}, make_controller_leaf(*model, best_of_tiger(), 200));
  const std::vector<double> sure = {0.001, 0.999}, nothing = {0, 0};
  EXPECT_EQ(action_of(*model, decide(planner, {tigers(1, 1), sure}, 50'000)), "open-left");
  const Decision equal = decide(planner, {tigers(1, 1), nothing}, 50'000);
  EXPECT_EQ(action_of(*model, equal), "listen");
  EXPECT_TRUE(std::isfinite(equal.value));
}

// Without any knowledge at its leaves it comes nearer with every descent.
TEST(Pomcp, ValueRisesWithTime) {
  const auto model = load_domain("tiger");
  const Pomcp planner(*model, {}, leaf_of(*model, "blind"));
  const double some = decide(planner, {start_states(*model)}, 5'000).value;
  const double many = decide(planner, {start_states(*model)}, 300'000).value;
  EXPECT_GT(many, some + 1);
  EXPECT_LT(many, 19.37);
}

TEST(Pomcp, DecisionIsAFunctionOfBeliefAndKey) {
  const auto model = load_domain("rock-sample(n=4,k=4)");
  const RecordBuffer states = start_states(*model);
  for (const char* kind : {"rollout", "mdp", "blind"}) {
    const Pomcp planner(*model, {.wave = 600}, leaf_of(*model, kind));
    const auto search = planner.start();
    search->plan({states}, {.simulations = 777}, RngKey::from_seed(9));
    const Decision alone = search->plan({states}, {.simulations = 5000}, RngKey::from_seed(3));
    for (int threads : {1, 2, 3}) {
      ThreadPool pool(threads);
      EXPECT_TRUE(same_decision(alone, decide(planner, {states}, 5000, 3, &pool)));
    }
    EXPECT_EQ(alone.simulations, 5000);
  }
}

TEST(Pomcp, IsWorthMoreThanItsBlindLeaf) {
  const auto model = load_domain("rock-sample(n=4,k=4)");
  const RecordBuffer states = start_states(*model);
  const auto leaf = leaf_of(*model, "blind");
  const Pomcp planner(*model, {}, leaf);
  const double blind = decide(planner, {states}, 1).value;
  EXPECT_GT(decide(planner, {states}, 50'000).value, blind + 1);
}

TEST(Pomcp, ContinuousObservationsAreAnsweredInWords) {
  const auto model = load_domain("light-dark");
  const std::string text = error_of([&] { Pomcp(*model, {}, leaf_of(*model, "zero")); });
  EXPECT_THAT(text, testing::HasSubstr("pomcpow"));
  EXPECT_THAT(text, testing::HasSubstr("clusters=K"));
}

TEST(Pomcp, TerminalStatesAreWorthNothing) {
  const auto model = load_domain("rock-sample(n=4,k=4)");
  RecordBuffer states(model->state_size(), 10);  // all zero: the robot is gone
  const Pomcp planner(*model, {}, leaf_of(*model, "rollout"));
  EXPECT_EQ(decide(planner, {states}, 1000).value, 0);
}

TEST(Pomcp, AnswersWithoutAnyTime) {
  const auto model = load_domain("rock-sample(n=4,k=4)");
  const Pomcp planner(*model, {}, leaf_of(*model, "blind"));
  const Decision now =
      planner.start()->plan({start_states(*model)}, {.seconds = 1e-9}, RngKey::from_seed(1));
  EXPECT_EQ(now.simulations, 0);
  EXPECT_EQ(action_of(*model, now), "east");
}

TEST(Pomcp, RowsShowTheTree) {
  const auto model = load_domain("tiger");
  const Pomcp planner(*model, {}, leaf_of(*model, "blind"));
  const auto search = planner.start();
  search->plan({start_states(*model)}, {.simulations = 10'000}, RngKey::from_seed(3));
  const std::vector<TreeRow> rows = search->rows(2, 100);
  ASSERT_EQ(rows.size(), 1 + 3 + 6);
  EXPECT_EQ(rows[0].level, 0);
  double share = 0;
  for (const TreeRow& row : rows) {
    if (row.level != 1) continue;
    share += row.share;
    EXPECT_EQ(row.chosen, row.label == "listen");
  }
  EXPECT_NEAR(share, 1, 1e-9);
  EXPECT_EQ(search->rows(2, 5).size(), 5);
}

}  // namespace
}  // namespace penumbra::search
