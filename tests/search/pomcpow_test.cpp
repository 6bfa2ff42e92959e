#include "penumbra/search/pomcpow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "penumbra/model/adapt.h"
#include "penumbra/search/weighted_states.h"
#include "tests/error_of.h"
#include "tests/search/planner_kit.h"

namespace penumbra::search {
namespace {

TEST(Pomcpow, ValueIsTheOptimumWithTheBestController) {
  const auto model = load_domain("tiger");
  const Pomcpow planner(*model, {.uct = {.depth = 4}},
                        make_controller_leaf(*model, best_of_tiger(), 200));
  const Decision now = decide(planner, {start_states(*model)}, 50'000);
  EXPECT_EQ(action_of(*model, now), "listen");
  EXPECT_NEAR(now.value, 19.37, 1.5);
  EXPECT_EQ(action_of(*model, decide(planner, {tigers(1, 999)}, 50'000)), "open-left");
  EXPECT_EQ(action_of(*model, decide(planner, {tigers(999, 1)}, 50'000)), "open-right");
}

// The same when observations are widened, and states weighted by them.
TEST(Pomcpow, ValueIsTheOptimumWithWeightsToo) {
  const auto model = load_domain("tiger");
  const Pomcpow planner(*model, {.uct = {.depth = 4}, .widening = {.k_seen = 1, .alpha_seen = 0.5}},
                        make_controller_leaf(*model, best_of_tiger(), 200));
  EXPECT_NEAR(decide(planner, {start_states(*model)}, 50'000).value, 19.37, 1.5);
}

TEST(Pomcpow, DecisionIsAFunctionOfBeliefAndKey) {
  for (const char* domain : {"light-dark", "lidar-roomba", "rock-sample(n=4,k=4)"}) {
    const auto model = load_domain(domain);
    const RecordBuffer states = start_states(*model);
    const Pomcpow planner(*model, {.uct = {.wave = 600}}, leaf_of(*model, "rollout", 20));
    const auto search = planner.start();
    search->plan({states}, {.simulations = 300}, RngKey::from_seed(9));
    const Decision alone = search->plan({states}, {.simulations = 3000}, RngKey::from_seed(3));
    for (int threads : {1, 2, 3}) {
      ThreadPool pool(threads);
      EXPECT_TRUE(same_decision(alone, decide(planner, {states}, 3000, 3, &pool))) << domain;
    }
  }
}

// With continuous observations the number of beliefs after an action is what widening allows.
TEST(Pomcpow, ContinuousObservationsAreWidened) {
  const auto model = load_domain("light-dark");
  const Pomcpow planner(*model, {.widening = {.k_seen = 3, .alpha_seen = 0}},
                        leaf_of(*model, "blind"));
  const auto search = planner.start();
  const Decision now =
      search->plan({start_states(*model)}, {.simulations = 5000}, RngKey::from_seed(3));
  EXPECT_TRUE(std::isfinite(now.value));
  EXPECT_GT(now.depth, 3);
  int children = 0;
  for (const TreeRow& row : search->rows(2, 1000)) children += row.level == 2;
  EXPECT_LE(children, 4 * model->facts().num_actions);
}

TEST(Pomcpow, ContinuousActionsAreInsideTheBox) {
  const auto model = load_domain("lidar-roomba(actions=continuous)");
  const Facts& facts = model->facts();
  ASSERT_EQ(facts.num_actions, 0);
  const Pomcpow planner(*model, {}, leaf_of(*model, "mdp"));
  const RecordBuffer states = start_states(*model);
  for (uint64_t simulations : {1, 10, 2000}) {
    const Decision now = decide(planner, {states}, simulations);
    ASSERT_EQ(now.action.size(), facts.action_low.size() * sizeof(float));
    for (size_t k = 0; k < facts.action_low.size(); ++k) {
      float x;
      std::memcpy(&x, now.action.data() + k * sizeof x, sizeof x);
      EXPECT_GE(x, facts.action_low[k]);
      EXPECT_LE(x, facts.action_high[k]);
    }
  }
}

TEST(Pomcpow, FiniteActionsMayBeWidenedToo) {
  const auto model = load_domain("rock-sample(n=4,k=4)");
  const Pomcpow planner(*model, {.widening = {.k_actions = 2, .alpha_actions = 0}},
                        leaf_of(*model, "blind"));
  const auto search = planner.start();
  search->plan({start_states(*model)}, {.simulations = 2000}, RngKey::from_seed(3));
  EXPECT_EQ(search->rows(1, 100).size(), 1 + 3);
}

// Says nothing about how likely its observations are.
struct Silent {
  struct State {
    int32_t x;
  };
  using Observation = int;
  Facts facts() const {
    return {.name = "silent", .num_actions = 1, .num_observations = 1, .max_reward = 1};
  }
  State sample_initial(Rng&) const { return {0}; }
  bool is_terminal(const State&) const { return false; }
  Outcome<State, int> step(const State& s, int, Rng&) const { return {s, 0, 1}; }
};

TEST(Pomcpow, NeedsALikelihood) {
  const auto model = adapt(Silent{});
  EXPECT_THAT(error_of([&] { Pomcpow(*model, {}, leaf_of(*model, "zero")); }),
              testing::HasSubstr("pomcpow needs a likelihood"));
}

TEST(Pomcpow, TerminalStatesAreWorthNothingAndNoTimeGivesAnAnswer) {
  const auto model = load_domain("rock-sample(n=4,k=4)");
  RecordBuffer gone(model->state_size(), 10);  // all zero
  const Pomcpow planner(*model, {}, leaf_of(*model, "blind"));
  EXPECT_EQ(decide(planner, {gone}, 1000).value, 0);
  const Decision now =
      planner.start()->plan({start_states(*model)}, {.seconds = 1e-9}, RngKey::from_seed(1));
  EXPECT_EQ(action_of(*model, now), "east");
}

TEST(WeightedStates, DrawsByWeightAndEquallyWithoutAny) {
  WeightedStates lists(sizeof(int));
  StateList weighted, nothing;
  for (int i = 0; i < 10; ++i) {
    const auto* state = reinterpret_cast<const std::byte*>(&i);
    lists.add(weighted, state, float(i), i == 7 ? 3 : i == 2 ? 1 : 0);
    lists.add(nothing, state, float(i), 0);
  }
  std::vector<int> drawn(10), equal(10);
  for (int i = 0; i < 4000; ++i) {
    Rng rng(RngKey::from_seed(1), i);
    ++drawn[int(lists.reward(lists.draw(weighted, rng)))];
    ++equal[int(lists.reward(lists.draw(nothing, rng)))];
  }
  EXPECT_EQ(drawn[2] + drawn[7], 4000);
  EXPECT_NEAR(drawn[7], 3000, 150);
  for (int count : equal) EXPECT_NEAR(count, 400, 100);
}

}  // namespace
}  // namespace penumbra::search
