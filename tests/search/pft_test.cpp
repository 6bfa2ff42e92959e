#include "penumbra/search/pft.h"

#include <gtest/gtest.h>

#include "penumbra/search/tree_beliefs.h"
#include "tests/search/planner_kit.h"

namespace penumbra::search {
namespace {

TEST(Pft, ValueIsTheOptimumWithTheBestController) {
  const auto model = load_domain("tiger");
  const Pft planner(*model, {.uct = {.depth = 4}},
                    make_controller_leaf(*model, best_of_tiger(), 200));
  const Decision now = decide(planner, {start_states(*model)}, 20'000);
  EXPECT_EQ(action_of(*model, now), "listen");
  EXPECT_NEAR(now.value, 19.37, 2);
  EXPECT_EQ(action_of(*model, decide(planner, {tigers(1, 999)}, 20'000)), "open-left");
  EXPECT_EQ(action_of(*model, decide(planner, {tigers(999, 1)}, 20'000)), "open-right");
}

TEST(Pft, DecisionIsAFunctionOfBeliefAndKey) {
  for (const char* domain : {"light-dark", "lidar-roomba", "rock-sample(n=4,k=4)"}) {
    const auto model = load_domain(domain);
    const RecordBuffer states = start_states(*model);
    const Pft planner(*model, {.uct = {.wave = 40}}, leaf_of(*model, "rollout", 20));
    const auto search = planner.start();
    search->plan({states}, {.simulations = 100}, RngKey::from_seed(9));
    const Decision alone = search->plan({states}, {.simulations = 500}, RngKey::from_seed(3));
    for (int threads : {1, 2, 3}) {
      ThreadPool pool(threads);
      EXPECT_TRUE(same_decision(alone, decide(planner, {states}, 500, 3, &pool))) << domain;
    }
  }
}

TEST(Pft, WidthIsFixedInSparseTrees) {
  const auto model = load_domain("light-dark");
  const Pft planner(*model, {.uct = {.wave = 1}, .widening = {.k_seen = 3, .alpha_seen = 0}},
                    leaf_of(*model, "blind"));
  const auto search = planner.start();
  const Decision now =
      search->plan({start_states(*model)}, {.simulations = 2000}, RngKey::from_seed(3));
  EXPECT_TRUE(std::isfinite(now.value));
  EXPECT_GT(now.depth, 3);
  int children = 0;
  for (const TreeRow& row : search->rows(2, 1000)) children += row.level == 2;
  EXPECT_LE(children, 4 * model->facts().num_actions);
}

TEST(Pft, IsWorthMoreThanItsBlindLeaf) {
  const auto model = load_domain("rock-sample(n=4,k=4)");
  const RecordBuffer states = start_states(*model);
  const Pft planner(*model, {}, leaf_of(*model, "blind"));
  const auto search = planner.start();
  const double blind =
      search->plan({states}, {.seconds = 1e-9}, RngKey::from_seed(1)).value;  // the leaf's
  EXPECT_GT(decide(planner, {states}, 5000).value, blind + 1);
}

TEST(Pft, TerminalStatesAreWorthNothing) {
  const auto model = load_domain("rock-sample(n=4,k=4)");
  RecordBuffer gone(model->state_size(), 10);  // all zero
  const Pft planner(*model, {}, leaf_of(*model, "rollout"));
  EXPECT_EQ(decide(planner, {gone}, 300).value, 0);
}

TEST(Pft, AnswersWithoutAnyTime) {
  const auto model = load_domain("lidar-roomba");
  const Pft planner(*model, {}, leaf_of(*model, "zero"));
  const Decision now =
      planner.start()->plan({start_states(*model)}, {.seconds = 1e-9}, RngKey::from_seed(1));
  EXPECT_EQ(now.simulations, 0);
  EXPECT_EQ(now.action.size(), model->action_size());
}

TEST(Pft, OptionsAreReadByName) {
  Params params(Spec::parse("pft(c=3,depth=7,k_o=2,alpha_o=0,tree_particles=20,leaf=blind)"));
  const PftOptions options = read_pft_options(params);
  EXPECT_EQ(read_leaf_options(params).kind, "blind");
  params.finish();
  EXPECT_EQ(options.uct.exploration, 3);
  EXPECT_EQ(options.uct.depth, 7);
  EXPECT_EQ(options.uct.wave, PftOptions().uct.wave);
  EXPECT_EQ(options.widening.k_seen, 2);
  EXPECT_EQ(options.widening.alpha_seen, 0);
  EXPECT_EQ(options.particles, 20);
}

TEST(TreeBeliefs, WeightsThatSayNothingAreEqual) {
  TreeBeliefs beliefs(sizeof(int), 4);
  RecordBuffer states(sizeof(int), 4);
  for (int i = 0; i < 4; ++i) states.as<int>(i) = i;
  const std::vector<double> nothing(4, 0.0), some = {0, 2, 2, 0};
  beliefs.add(states, nothing, Rng(RngKey{}, 0));
  beliefs.add(states, some, Rng(RngKey{}, 0));
  EXPECT_EQ(beliefs.weights(0)[2], 0.25);
  EXPECT_EQ(beliefs.weights(1)[2], 0.5);
  EXPECT_EQ(beliefs.at_share(1, 0.49), 1);
  EXPECT_EQ(beliefs.at_share(1, 0.51), 2);
  EXPECT_EQ(beliefs.at_share(1, 1), 2);
}

TEST(TreeBeliefs, FewParticlesWithAllTheWeightAreDrawnAnew) {
  TreeBeliefs beliefs(sizeof(int), 100);
  RecordBuffer states(sizeof(int), 100);
  std::vector<double> weights(100);
  for (int i = 0; i < 100; ++i) states.as<int>(i) = i;
  weights[3] = weights[4] = 1;
  beliefs.add(states, weights, Rng(RngKey{}, 0));
  EXPECT_DOUBLE_EQ(beliefs.weights(0)[50], 0.01);
  int threes = 0;
  for (int i = 0; i < 100; ++i) threes += beliefs.states(0).as<int>(i) == 3;
  EXPECT_EQ(threes, 50);
}

}  // namespace
}  // namespace penumbra::search
