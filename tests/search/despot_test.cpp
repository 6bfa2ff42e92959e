#include "penumbra/search/despot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "penumbra/model/adapt.h"
#include "tests/error_of.h"
#include "tests/search/planner_kit.h"
#include "tests/search/tables_kit.h"

namespace penumbra::search {
namespace {

constexpr RngKey kKey = RngKey::from_seed(1);

std::shared_ptr<const MdpValue> values_of(const Pomdp& model) {
  ThreadPool pool(1);
  return make_mdp_value(model, {}, kKey, pool);
}
Despot blind_despot(const Pomdp& model, const DespotOptions& options = {}) {
  return Despot(model, options, Guide::blind(model, kKey), values_of(model));
}
DespotOptions with_scenarios(int count) {
  DespotOptions options;
  options.scenarios = count;
  return options;
}

// Every step of some episodes; the belief is exact, the scenarios are drawn from it.
void expect_brackets(const Solved& solved, double slack) {
  const Despot planner = blind_despot(*solved.model, with_scenarios(2000));
  const auto search = planner.start();
  const ExactFilter filter(solved.table);
  for (uint64_t episode = 0; episode < 20; ++episode) {
    std::vector<double> belief = filter.initial();
    RecordBuffer state(sizeof(int32_t), 1);
    const RngKey key = kKey.fold(episode);
    solved.model->sample_initial({key}, state);
    StepBuffers buffers(*solved.model, 1);
    for (int t = 0; t < 15; ++t) {
      const WeightedRoot root(belief);
      const Decision now =
          search->plan({root.states, root.weights}, {.simulations = 10}, key.fold("plan").fold(t));
      const double best = solved.value(belief);
      EXPECT_LE(now.lower, now.upper);
      EXPECT_LE(now.lower, best + slack) << solved.table.name << " at step " << t;
      EXPECT_GE(now.upper, best - slack) << solved.table.name << " at step " << t;
      int action;
      std::memcpy(&action, now.action.data(), sizeof action);
      const StepResults out = buffers.results(1);
      solved.model->step(state, std::span<const int>(&action, 1), {key.fold("step").fold(t)}, out);
      if (out.ended[0]) break;
      state.copy_from(0, out.next.at(0));
      filter.update(belief, action, index_of(out.seen, 0));
    }
  }
}

TEST(Despot, BoundsAtTheRootBracketTheOptimum) {
  expect_brackets(Solved(tiger_table()), 2.5);  // returns deviate by 30
  expect_brackets(Solved(machine_table()), 0.4);
  expect_brackets(Solved(load_domain("rock-sample(n=3,k=2)")->table()), 0.6);
}

TEST(Despot, BoundsOnlyComeNearerWithMoreDescents) {
  for (const char* domain : {"tiger", "rock-sample(n=4,k=4)"}) {
    const auto model = load_domain(domain);
    const RecordBuffer states = start_states(*model);
    const Despot planner = blind_despot(*model);
    Decision last = decide(planner, {states}, 1);
    for (uint64_t simulations : {2, 3, 5, 10, 20, 40, 80}) {
      const Decision now = decide(planner, {states}, simulations);
      EXPECT_GE(now.lower, last.lower - 1e-9) << domain;
      EXPECT_LE(now.upper, last.upper + 1e-9) << domain;
      EXPECT_LE(now.lower, now.upper) << domain;
      last = now;
    }
    EXPECT_GT(last.lower, decide(planner, {states}, 1).lower) << domain;
  }
}

// A price for every action makes plans shorter; they still have their bounds in order.
TEST(Despot, APriceKeepsThePlanShort) {
  const auto model = load_domain("rock-sample(n=4,k=4)");
  const RecordBuffer states = start_states(*model);
  const auto guide = Guide::blind(*model, kKey);
  auto size_of_plan = [&](double price) {
    BoundOptions options;
    options.price = price;
    const auto values = values_of(*model);
    BoundSearch search(*guide, *values, options, scenarios(*model, 200, nullptr), nullptr);
    const Decision now = search.plan({states}, {.simulations = 300}, kKey);
    EXPECT_LE(now.lower, now.upper);
    Fsc fsc = guide->fsc();
    search.append_plan(fsc);
    return fsc.num_nodes() - guide->fsc().num_nodes();
  };
  const int free = size_of_plan(0);
  EXPECT_GT(free, 10);
  EXPECT_LT(size_of_plan(0.05), free);
  EXPECT_EQ(size_of_plan(1000), 0);
}

// The plan of a search is a controller, and worth about what the search says.
TEST(Despot, PlanIsWorthItsLowerBound) {
  const Tabular table = tiger_table();
  const auto model = load_domain("tiger");
  const auto guide = Guide::blind(*model, kKey);
  const auto values = values_of(*model);
  BoundSearch search(*guide, *values, {}, scenarios(*model, 5000, nullptr), nullptr);
  const Decision now = search.plan({start_states(*model, 5000)}, {.simulations = 200}, kKey);
  Fsc fsc = guide->fsc();
  fsc.start = search.append_plan(fsc);
  ASSERT_GE(fsc.start, 0);
  EXPECT_NEAR(fsc_value(fsc, table), now.lower, 1.5);
}

// Two scenarios see few of the observations; the others lead to the guide.
TEST(Despot, WhatNoScenarioMetIsLeftToTheGuide) {
  const auto model = load_domain("tiger");
  const auto guide = Guide::blind(*model, kKey);
  const auto values = values_of(*model);
  BoundSearch search(*guide, *values, {}, scenarios(*model, 1, nullptr), nullptr);
  search.plan({start_states(*model)}, {.simulations = 10}, kKey);
  Fsc fsc = guide->fsc();
  std::vector<int> beliefs;
  const int first = search.append_plan(fsc, &beliefs);
  ASSERT_GE(first, 0);
  check_fsc(fsc, model->facts());
  EXPECT_EQ(beliefs.size(), fsc.num_nodes() - guide->fsc().num_nodes());
  for (size_t n = 0; n < beliefs.size(); ++n) {
    int to_guide = 0;
    for (int o = 0; o < 2; ++o)
      to_guide += fsc.next(guide->fsc().num_nodes() + int(n), o) < guide->fsc().num_nodes();
    EXPECT_GE(to_guide, 1);
  }
}

// One action is as good as knowing everything: no tree is needed.
struct Settled {
  struct State {
    int32_t x;
  };
  using Observation = int;
  Facts facts() const {
    return {.name = "settled", .num_actions = 3, .num_observations = 2, .max_reward = 1};
  }
  State sample_initial(Rng& rng) const { return {int32_t(rng.below(2))}; }
  bool is_terminal(const State&) const { return false; }
  Outcome<State, int> step(const State& s, int a, Rng&) const { return {s, s.x, a == 2 ? 1.f : 0}; }
  double likelihood(int seen, int, const State& s) const { return seen == s.x; }
  double mdp_value(const State&) const { return 20; }
};

TEST(Despot, EqualBoundsAtTheRootGiveTheGuidesAction) {
  const auto model = adapt(Settled{});
  DespotOptions options;
  options.bounds.gap = 0.5;  // rollouts are cut
  const Despot planner(*model, options, Guide::blind(*model, kKey), values_of(*model));
  const Decision now = decide(planner, {start_states(*model)}, 100);
  EXPECT_EQ(action_of(*model, now), "a2");
  EXPECT_FALSE(now.by_search);
  EXPECT_EQ(now.beliefs, 1);
  EXPECT_NEAR(now.lower, 20, 0.5);
}

// Whatever is done ends it; what it brings depends on the hidden state.
struct LastStep {
  struct State {
    int32_t x;
  };
  using Observation = int;
  Facts facts() const {
    return {.name = "last-step",
            .num_actions = 3,
            .num_observations = 1,
            .min_reward = -1,
            .max_reward = 5};
  }
  State sample_initial(Rng& rng) const { return {1 + int32_t(rng.below(2))}; }
  bool is_terminal(const State& s) const { return s.x == 0; }
  Outcome<State, int> step(const State& s, int a, Rng&) const {
    return {{0}, 0, a == 2 ? 2.f : a == s.x - 1 ? 5.f : -4.f};
  }
  double likelihood(int, int, const State&) const { return 1; }
  double mdp_value(const State& s) const { return s.x == 0 ? 0 : 5; }
};

TEST(Despot, ABeliefWhoseEverySuccessorIsTerminal) {
  const auto model = adapt(LastStep{});
  const Despot planner = blind_despot(*model);
  for (uint64_t simulations : {1, 2, 100}) {
    const Decision now = decide(planner, {start_states(*model)}, simulations);
    EXPECT_EQ(action_of(*model, now), "a2");
    EXPECT_FLOAT_EQ(now.value, 2);
    EXPECT_FLOAT_EQ(now.upper, 2);
    EXPECT_LE(now.simulations, 2);  // then there is nothing left to find
  }
}

TEST(Despot, NoTimeGivesAnAnswer) {
  const auto model = load_domain("rock-sample(n=4,k=4)");
  const Despot planner = blind_despot(*model);
  const auto search = planner.start();
  const RecordBuffer states = start_states(*model);
  for (const Budget& budget : {Budget{1, 0}, Budget{0, 1e-6}}) {
    const Decision now = search->plan({states}, budget, kKey);
    ASSERT_EQ(now.action.size(), sizeof(int));
    EXPECT_GT(now.value, 0);
  }
}

TEST(Despot, DecisionIsAFunctionOfBeliefAndKey) {
  const auto model = load_domain("rock-sample(n=7,k=8)");
  const RecordBuffer states = start_states(*model);
  const Despot planner = blind_despot(*model);
  const auto search = planner.start();
  const Decision before = search->plan({states}, {.simulations = 30}, RngKey::from_seed(9));
  const Decision alone = search->plan({states}, {.simulations = 30}, RngKey::from_seed(3));
  EXPECT_NE(before.value, alone.value);
  expect_same_with_threads(planner, {states}, 30, 3, alone);
}

TEST(Despot, NothingIsWorseThanTheControllerThatGoesAlong) {
  const auto model = load_domain("tiger");
  const auto guide = std::make_shared<Guide>(*model, Fnc{best_of_tiger()}, "best");
  const Despot planner(*model, {}, guide, values_of(*model));
  const Decision now = planner.start()->plan({start_states(*model), {}, 0}, {.simulations = 50},
                                             RngKey::from_seed(3));
  EXPECT_EQ(action_of(*model, now), "listen");
  EXPECT_FALSE(now.by_search);  // fresh states show that nothing is better
  EXPECT_EQ(now.node, 0);
  EXPECT_NEAR(now.value, 19.37, 4);
}

TEST(Despot, RowsShowTheTree) {
  const auto model = load_domain("tiger");
  const Despot planner = blind_despot(*model);
  const auto search = planner.start();
  search->plan({start_states(*model)}, {.simulations = 50}, kKey);
  const std::vector<TreeRow> rows = search->rows(2, 100);
  ASSERT_EQ(rows.size(), 1 + 3 + 6);
  for (const TreeRow& row : rows) {
    EXPECT_LE(row.lower, row.upper + 1e-9);
    EXPECT_EQ(row.chosen, row.label == "listen");
  }
  EXPECT_EQ(search->rows(2, 5).size(), 5);
}

}  // namespace
}  // namespace penumbra::search
