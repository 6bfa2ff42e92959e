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
    {"nvi",        300,  0.90 * kTigerValue,  0.95 * kRocksValue},
    {"mcvi",       400,  0.90 * kTigerValue,  0.95 * kRocksValue},
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

  std::unique_ptr<Pomdp> tiger_ = load_domain(kTiger), rocks_ = load_domain(kRocks);
};

TEST_P(Solvers, ReachTheKnownValueOfTiger) {
  const PolicyFile policy = policy_of(run(*tiger_, work(GetParam().backups)), *tiger_);
  const double value = exact_value(policy, *tiger_);
  EXPECT_GE(value, GetParam().tiger);
  EXPECT_LE(value, kTigerValue + 1e-4);
}

TEST_P(Solvers, ReachTheKnownValueOfATinyRockSample) {
  const PolicyFile policy = policy_of(run(*rocks_, work(GetParam().backups)), *rocks_);
  const double value = exact_value(policy, *rocks_);
  EXPECT_GE(value, GetParam().rocks);
  EXPECT_LE(value, kRocksValue + 1e-4);
}

TEST_P(Solvers, BoundsBracketTheOptimum) {
  const Solution s = run(*rocks_, some_work());
  if (s.upper_proven) {
    EXPECT_GE(s.upper, kRocksValue - 1e-6);
  }
  if (s.lower_proven) {
    EXPECT_LE(s.lower, kRocksValue + 1e-6);
    EXPECT_GE(exact_value(policy_of(s, *rocks_), *rocks_), s.lower - 1e-6);
  }
}

TEST_P(Solvers, GiveAPolicyWithoutAnyBudget) {
  for (const auto& model : {std::cref(tiger_), std::cref(rocks_)}) {
    Limits limits;
    limits.cancelled = [] { return true; };
    const Solution s = run(*model.get(), limits);
    EXPECT_THAT(s.status, AnyOf("cancelled", "converged"));
    EXPECT_GE(exact_value(policy_of(s, *model.get()), *model.get()), -2000);
  }
}

TEST_P(Solvers, GiveTheSamePolicyWithAnyNumberOfThreads) {
  const auto one = encode_policy(policy_of(run(*rocks_, some_work(), 1), *rocks_));
  for (int threads : {2, 3, 8})
    EXPECT_EQ(one, encode_policy(policy_of(run(*rocks_, some_work(), threads), *rocks_)))
        << threads << " threads";
}

TEST_P(Solvers, GiveAPolicyThatPlaysTheSameAfterSavingAndLoading) {
  const PolicyFile saved = policy_of(run(*tiger_, some_work()), *tiger_);
  const PolicyFile loaded = decode_policy(encode_policy(saved), "memory");
  EXPECT_NO_THROW(check_policy_fits(loaded, *tiger_, "memory"));
  ThreadPool pool(1);
  const EvaluateOptions how{.episodes = 500};
  EXPECT_EQ(evaluate(*tiger_, *playable(saved, *tiger_), how, pool).mean,
            evaluate(*tiger_, *playable(loaded, *tiger_), how, pool).mean);
}

TEST_P(Solvers, EndForTheLimitThatWasReached) {
  auto status = [&](auto set) {
    Limits limits = work(5000);
    set(limits);
    return run(*rocks_, limits).status;
  };
  const auto is = [](const char* limit) { return AnyOf(limit, "converged"); };
  EXPECT_THAT(status([](Limits& l) { l.backups = 1; }), is("backups"));
  EXPECT_THAT(status([](Limits& l) { l.seconds = 1e-9; }), is("time"));
  EXPECT_THAT(status([](Limits& l) { l.nodes = 1; }), is("nodes"));
  EXPECT_THAT(status([](Limits& l) { l.memory = 1; }), is("memory"));
  EXPECT_THAT(status([](Limits& l) { l.gap = 100; }), is("gap"));
}

TEST_P(Solvers, EndWhenCancelledOnTheWay) {
  int asked = 0;
  Limits limits = work(100'000);
  limits.cancelled = [&] { return ++asked > 3; };
  const Solution s = run(*rocks_, limits);
  EXPECT_THAT(s.status, AnyOf("cancelled", "converged"));
  EXPECT_NO_THROW(playable(policy_of(s, *rocks_), *rocks_));
}

TEST_P(Solvers, GoOnAfterAStopAsIfThereHadBeenNone) {
  const uint64_t whole = std::min<uint64_t>(GetParam().backups, 200);
  const auto never_stopped = encode_policy(policy_of(run(*rocks_, work(whole)), *rocks_));
  MemoryCheckpoints checkpoints;
  Solution last;
  for (uint64_t part : {whole / 4, whole / 2, whole}) {
    Limits limits = work(part);
    limits.checkpoints = &checkpoints;
    last = run(*rocks_, limits, part == whole ? 2 : 1);
  }
  EXPECT_EQ(encode_policy(policy_of(last, *rocks_)), never_stopped);
}

INSTANTIATE_TEST_SUITE_P(All, Solvers, testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.solver); });

TEST(SolverKit, HasALineForEverySolver) {
  std::set<std::string> tested, registered;
  for (const SolverCase& c : kCases) tested.insert(c.solver);
  for (const SolverEntry& entry : solvers()) registered.insert(entry.name);
  EXPECT_EQ(tested, registered);
}

}  // namespace
}  // namespace penumbra
