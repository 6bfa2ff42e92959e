// Every solver that ships keeps the promises of the solver interface: one line each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "penumbra/base/memory.h"
#include "penumbra/evaluate/score.h"
#include "tests/conformance/solver_kit.h"

namespace penumbra {
namespace {

using testing::AnyOf;

// qmdp and fib act as if the state were soon known. That is good enough for tiger; among the rocks
// they wait for ever for what they would have to go and look at. nvi and mcvi judge by simulation
// and get within 10 % in this short time. ppo has only learnt not to open doors by then; what it
// reaches is in solvers/ppo_test.cpp and docs/solvers/ppo.md.
// clang-format off
constexpr SolverCase kCases[] = {
    // solver  backups           tiger                 rocks
    {"nvi",        600,  0.90 * kTigerValue,  0.95 * kRocksValue},
    {"nvi",         60,  -1.1 * kTigerValue,  0.40 * kRocksValue,
     "preset=paper paper-particles=500 paper-bound-particles=100 paper-max-depth=15 "
     "paper-episodes=2000 paper-form=heads paper-features=32 paper-samples=300 paper-sims=20",
     "paper"},
    {"nvi",        800,  0.90 * kRocksValue,  0.90 * kRocksValue,
     "islands=2 exchange=100 evaluations=1000", "islands", kRocks, kRocks},
    {"mcvi",       400,  0.90 * kTigerValue,  0.95 * kRocksValue},
    {"mcvi",        40,  -1.1 * kTigerValue,  0.25 * kRocksValue,
     "preset=paper paper-particles=500 paper-bound-particles=100 paper-max-depth=15 "
     "paper-episodes=2000 paper-rollout-depth=40", "paper"},
    {"mcvi",        60,  1,                   1,
     "observations=continuous continuous-samples=32 continuous-score=128", "continuous",
     kLight, kLight},
    {"cells",      300,  0.75 * kLightValue,  0.80 * kLightValue, "cells=60", "",
     "light-dark(clusters=10)", "light-dark(clusters=20)"},
    {"ppo",        200,  -1.1 * kTigerValue,  0.40 * kRocksValue,
     "hidden=16 lanes=32 steps=32 minibatches=2 epochs=2 rate=0.003 evaluations=200"},
    {"pomcgs",    6000,  0.99 * kTigerValue,  0.99 * kRocksValue},
    {"sarsop",    2000,  0.99 * kTigerValue,  0.99 * kRocksValue},
    {"hsvi2",     2000,  0.99 * kTigerValue,  0.99 * kRocksValue},
    {"pbvi",      2000,  0.99 * kTigerValue,  0.99 * kRocksValue},
    {"perseus",   2000,  0.99 * kTigerValue,  0.99 * kRocksValue},
    {"fib",          0,  0.99 * kTigerValue,  0},
    {"qmdp",         0,  0.99 * kTigerValue,  0},
};
// clang-format on

class Solvers : public testing::TestWithParam<SolverCase> {
 protected:
  Solution run(const Pomdp& model, const Limits& limits, int threads = 1) const {
    return solve(GetParam().solver, model, limits, threads, 1, GetParam().options);
  }
  // A budget for facts that do not depend on quality.
  Limits some_work() const { return work(std::min<uint64_t>(GetParam().backups, 100)); }

  std::unique_ptr<Pomdp> first_ = load_domain(GetParam().first),
                         second_ = load_domain(GetParam().second);
};

TEST_P(Solvers, ReachTheKnownValueOfTheFirstModel) {
  const PolicyFile policy = policy_of(run(*first_, work(GetParam().backups)), *first_);
  const double value = exact_value(policy, *first_);
  EXPECT_GE(value, GetParam().least_first);
  EXPECT_LE(value, optimum(GetParam().first) + 1e-4);
}

TEST_P(Solvers, ReachTheKnownValueOfTheSecondModel) {
  const PolicyFile policy = policy_of(run(*second_, work(GetParam().backups)), *second_);
  const double value = exact_value(policy, *second_);
  EXPECT_GE(value, GetParam().least_second);
  EXPECT_LE(value, optimum(GetParam().second) + 1e-4);
}

TEST_P(Solvers, BoundsBracketTheOptimum) {
  const Solution s = run(*second_, some_work());
  if (s.upper.kind != UpperKind::kEstimate) {
    EXPECT_GE(s.upper.value, optimum(GetParam().second) - 1e-6);
  }
  if (s.lower_proven) {
    EXPECT_LE(s.lower, kRocksValue + 1e-6);
    EXPECT_GE(exact_value(policy_of(s, *second_), *second_), s.lower - 1e-6);
  }
}

TEST_P(Solvers, GiveAPolicyWithoutAnyBudget) {
  for (const auto& model : {std::cref(first_), std::cref(second_)}) {
    Limits limits;
    limits.cancelled = [] { return true; };
    const Solution s = run(*model.get(), limits);
    EXPECT_THAT(s.status, AnyOf("cancelled", "converged"));
    EXPECT_GE(exact_value(policy_of(s, *model.get()), *model.get()), -2000);
  }
}

TEST_P(Solvers, GiveTheSamePolicyWithAnyNumberOfThreads) {
  const auto one = encode_policy(policy_of(run(*second_, some_work(), 1), *second_));
  for (int threads : {2, 3, 8})
    EXPECT_EQ(one, encode_policy(policy_of(run(*second_, some_work(), threads), *second_)))
        << threads << " threads";
}

TEST_P(Solvers, GiveTheSamePolicyWithAnyNumberOfRanks) {
  const auto alone = encode_policy(policy_of(run(*second_, some_work()), *second_));
  for (const auto& [ranks, threads] : {std::pair{2, 2}, {3, 1}}) {
    const Solution s =
        solve_as_team(GetParam().solver, *second_, some_work(), ranks, threads, GetParam().options);
    EXPECT_EQ(alone, encode_policy(policy_of(s, *second_))) << ranks << " ranks";
  }
}

TEST_P(Solvers, GoOnWithAnotherNumberOfRanksAsIfItWereTheSame) {
  const uint64_t whole = some_work().backups;
  const auto alone = encode_policy(policy_of(run(*second_, work(whole)), *second_));
  MemoryCheckpoints checkpoints;
  Limits limits = work(whole / 2);
  limits.checkpoints = &checkpoints;
  solve_as_team(GetParam().solver, *second_, limits, 3, 1, GetParam().options);
  limits.backups = whole;
  const Solution s = solve_as_team(GetParam().solver, *second_, limits, 2, 2, GetParam().options);
  EXPECT_EQ(alone, encode_policy(policy_of(s, *second_)));
}

TEST_P(Solvers, EndOnSeveralRanksWhenTimeIsUp) {
  Limits limits;
  limits.seconds = 0.3;
  const Solution s = solve_as_team(GetParam().solver, *second_, limits, 3, 1, GetParam().options);
  EXPECT_THAT(s.status, AnyOf("time", "converged"));
}

TEST_P(Solvers, GiveAPolicyThatPlaysTheSameAfterSavingAndLoading) {
  const PolicyFile saved = policy_of(run(*first_, some_work()), *first_);
  const PolicyFile loaded = decode_policy(encode_policy(saved), "memory");
  EXPECT_NO_THROW(check_policy_fits(loaded, *first_, "memory"));
  ThreadPool pool(1);
  const EvaluateOptions how{.episodes = 500};
  EXPECT_EQ(evaluate(*first_, *playable(saved, *first_), how, pool).mean,
            evaluate(*first_, *playable(loaded, *first_), how, pool).mean);
}

TEST_P(Solvers, EndForTheLimitThatWasReached) {
  auto status = [&](auto set) {
    Limits limits = work(5000);
    set(limits);
    return run(*second_, limits).status;
  };
  const auto is = [](const char* limit) { return AnyOf(limit, "converged"); };
  EXPECT_THAT(status([](Limits& l) { l.backups = 1; }), is("backups"));
  EXPECT_THAT(status([](Limits& l) { l.seconds = 1e-9; }), is("time"));
  EXPECT_THAT(status([](Limits& l) { l.nodes = 1; }), is("nodes"));
  EXPECT_THAT(status([](Limits& l) { l.memory = 1; }), is("memory"));
  EXPECT_THAT(status([](Limits& l) { l.gap = 100; }), is("gap"));
}

TEST_P(Solvers, DoWithoutAReport) {
  const std::unique_ptr<Solver> solver = make_solver(GetParam().solver);
  set_options(*solver, GetParam().options);
  ThreadPool pool(1);
  Limits limits = some_work();
  limits.backups = std::min<uint64_t>(limits.backups, 10);
  EXPECT_NO_THROW(solver->solve(*second_, limits, 1, pool, {}));
}

TEST_P(Solvers, EndWhenCancelledOnTheWay) {
  int asked = 0;
  Limits limits = work(100'000);
  limits.cancelled = [&] { return ++asked > 3; };
  const Solution s = run(*second_, limits);
  EXPECT_THAT(s.status, AnyOf("cancelled", "converged"));
  EXPECT_NO_THROW(playable(policy_of(s, *second_), *second_));
}

TEST_P(Solvers, GoOnAfterAStopAsIfThereHadBeenNone) {
  const uint64_t whole = std::min<uint64_t>(GetParam().backups, 200);
  const auto never_stopped = encode_policy(policy_of(run(*second_, work(whole)), *second_));
  MemoryCheckpoints checkpoints;
  Solution last;
  for (uint64_t part : {whole / 4, whole / 2, whole}) {
    Limits limits = work(part);
    limits.checkpoints = &checkpoints;
    last = run(*second_, limits, part == whole ? 2 : 1);
  }
  EXPECT_EQ(encode_policy(policy_of(last, *second_)), never_stopped);
}

INSTANTIATE_TEST_SUITE_P(All, Solvers, testing::ValuesIn(kCases),
                         [](const auto& c) { return c.param.name(); });

TEST(SolverKit, HasALineForEverySolver) {
  std::set<std::string> tested, registered;
  for (const SolverCase& c : kCases) tested.insert(c.solver);
  for (const SolverEntry& entry : solvers()) registered.insert(entry.name);
  EXPECT_EQ(tested, registered);
}

}  // namespace
}  // namespace penumbra
