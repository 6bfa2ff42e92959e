#include "penumbra/search/planners.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "penumbra/evaluate/score.h"
#include "tests/error_of.h"
#include "tests/search/planner_kit.h"
#include "tests/search/tables_kit.h"

namespace penumbra::search {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string complaint(const std::string& spec, const std::string& domain = "tiger",
                      const Fsc& controller = {}) {
  const auto model = load_domain(domain);
  return error_of([&] { player(spec, *model, controller); });
}

TEST(Planners, NamesAndNeeds) {
  EXPECT_EQ(planners().size(), 6);
  EXPECT_TRUE(is_planner("despot(simulations=10)"));
  EXPECT_TRUE(is_planner("sparse-pft"));
  EXPECT_FALSE(is_planner("qmdp"));
  EXPECT_TRUE(needs_finite_observations("pomcp"));
  EXPECT_FALSE(needs_finite_observations("pomcpow(time=1s)"));
  EXPECT_EQ(
      complaint("best"),
      "there is no planner 'best'; there are pomcp, pomcpow, pft-dpw, sparse-pft, despot, adaops");
  EXPECT_EQ(complaint("despott").substr(0, 55),
            "there is no planner 'despott' (did you mean 'despot'?);");
}

TEST(Planners, DescribeThemselvesAsTheyWereCalled) {
  const auto model = load_domain("tiger");
  EXPECT_EQ(player("despot(scenarios=50,simulations=7)", *model)->describe(),
            "despot(simulations=7,scenarios=50)");
}

TEST(Planners, UnknownParametersAreNamed) {
  for (const PlannerInfo& planner : planners())
    EXPECT_THAT(complaint(std::string(planner.name) + "(simulatons=3)"),
                AllOf(HasSubstr(planner.name), HasSubstr("did you mean 'simulations'")));
  EXPECT_EQ(complaint("sparse-pft(alpha_o=0.1)"), "sparse-pft has no alpha_o: that is pft-dpw");
}

TEST(Planners, FilterWhatTheySeeOrItsGroup) {
  EXPECT_FALSE(sees_raw("despot", *load_finite_domain("tiger")));
  EXPECT_EQ(
      complaint("despot(raw=true)"),
      "raw=true is for observations that are grouped, and those of tiger are not: leave it out");
  const auto model = load_finite_domain("light-dark(clusters=3)");
  EXPECT_TRUE(sees_raw("despot", *model));
  EXPECT_FALSE(sees_raw("despot(raw=false)", *model));
  EXPECT_FALSE(sees_raw("blind(action=0)", *model));
  const Pomdp& raw = dynamic_cast<const Classified&>(*model).inner();
  ThreadPool one(1), three(3);
  EvaluateOptions how;
  how.episodes = 8;
  const auto policy = player("despot(simulations=20,particles=2000)", *model);
  const Score a = evaluate(raw, *policy, how, one), b = evaluate(raw, *policy, how, three);
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_GT(a.mean, -10);
  EXPECT_THAT(error_of([&] { evaluate(*model, *policy, how, one); }),
              HasSubstr("takes observations as readings"));
}

TEST(Planners, ABudgetIsOneOfTwo) {
  EXPECT_EQ(complaint("despot(simulations=3,time=1s)"),
            "despot takes simulations or time, not both");
  for (const char* time : {"soon", "0s", "-1s", "s", "2h", "1e9s"})
    EXPECT_EQ(complaint("pomcp(time=" + std::string(time) + ")"),
              "time must be a duration for one step such as 0.1s or 100ms, not '" +
                  std::string(time) + "'");
  for (const char* time : {"1s", "100ms", "0.5", "2m"})
    EXPECT_EQ(complaint("pomcp(time=" + std::string(time) + ")"), "");
}

TEST(Planners, WhatTheModelLacksIsSaid) {
  EXPECT_THAT(complaint("pomcp", "light-dark"),
              AllOf(HasSubstr("pomcp needs finite observations"), HasSubstr("pomcpow"),
                    HasSubstr("clusters=K")));
  for (const std::string planner : {"despot", "adaops"}) {
    EXPECT_THAT(complaint(planner, "lidar-roomba(actions=continuous)"),
                AllOf(HasSubstr(planner + " needs finite actions"), HasSubstr("pomcpow")));
    EXPECT_THAT(complaint(planner, "light-dark"),
                AllOf(HasSubstr(planner + " needs finite observations"), HasSubstr("clusters=K")));
  }
}

TEST(Planners, AControllerForAnotherModelIsRefused) {
  for (const char* spec :
       {"despot(lower=tiger.policy)", "adaops(lower=tiger.policy)", "pomcp(leaf=tiger.policy)"})
    EXPECT_THAT(complaint(spec, "rock-sample(n=4,k=4)", best_of_tiger()),
                HasSubstr("tiger.policy"));
}

TEST(Planners, BoundsByName) {
  EXPECT_EQ(complaint("despot(upper=fib,lower=listen)"), "");
  EXPECT_EQ(complaint("despot(upper=best)"), "upper must be mdp or fib, not 'best'");
  EXPECT_THAT(complaint("adaops(upper=fib)", "rock-sample(n=20,k=20)"),
              HasSubstr("mdp source 'fib' needs an explicit table"));
}

constexpr double kErrors = 2.5;  // standard errors that a score may be off

EvaluateOptions few_episodes() {
  EvaluateOptions how;
  how.episodes = 40;
  how.max_steps = 25;
  return how;
}
Tabular rocks_table() {
  return load_domain("rock-sample(n=3,k=2)")->table();
}

// Searches between bounds play as well as SARSOP's policy on the same episodes.
class BetweenBounds : public testing::TestWithParam<const char*> {};

void expect_optimum(const char* planner, const Tabular& table, const EvaluateOptions& how) {
  const Solved solved(table);
  const auto policy = player(planner, *solved.model);
  ThreadPool pool(1);
  const Comparison c = compare(*solved.model, *policy, *solved.policy(), how, pool);
  EXPECT_NEAR(c.difference.mean, 0, kErrors * c.difference.standard_error + 0.1)
      << planner << " on " << table.name;
}

TEST_P(BetweenBounds, ReachesTheOptimum) {
  for (const Tabular& table : {tiger_table(), machine_table(), rocks_table()})
    expect_optimum(GetParam(), table, few_episodes());
}

TEST(FastInformedBound, IsAsGoodAbove) {
  for (const Tabular& table : {machine_table(), rocks_table()})
    for (const char* planner : {"despot(simulations=30,scenarios=300,upper=fib,particles=500)",
                                "adaops(simulations=30,upper=fib,particles=500)"})
      expect_optimum(planner, table, few_episodes());
}

INSTANTIATE_TEST_SUITE_P(Planners, BetweenBounds,
                         testing::Values("despot(simulations=30,scenarios=300,particles=500)",
                                         "adaops(simulations=30,particles=500)"));

// Means of what descents got come to the optimum slowly: short sight makes it near.
class ByUpperConfidence : public testing::TestWithParam<const char*> {};

TEST_P(ByUpperConfidence, ReachesTheOptimumOfTheImpatient) {
  auto expect_best = [](const Tabular& table, int simulations) {
    const Solved solved(impatient(table));
    const std::string spec = fmt::format(fmt::runtime(GetParam()), simulations);
    ThreadPool pool(1);
    const Score score = evaluate(*solved.model, *player(spec, *solved.model), few_episodes(), pool);
    EXPECT_GT(score.mean, solved.solution.lower - kErrors * score.standard_error)
        << spec << " on " << table.name;
  };
  const int effort = std::string(GetParam()).find("pft") == std::string::npos ? 5 : 1;
  expect_best(tiger_table(), 400 * effort);
  expect_best(machine_table(), 200 * effort);
  expect_best(rocks_table(), 2000 * effort);
}

INSTANTIATE_TEST_SUITE_P(Planners, ByUpperConfidence,
                         testing::Values("pomcp(simulations={},leaf=mdp,particles=500)",
                                         "pomcpow(simulations={},leaf=mdp,particles=500)",
                                         "pft-dpw(simulations={},leaf=mdp,particles=500)",
                                         "sparse-pft(simulations={},leaf=mdp,particles=500)"));

}  // namespace
}  // namespace penumbra::search
