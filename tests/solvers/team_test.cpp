// Solvers that share their rounds out over the ranks of a team: the same bytes for any number of
// them, on models that take all their ways (tests/conformance has every solver, on fewer).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "penumbra/base/thread_team.h"
#include "tests/conformance/solver_kit.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

struct TeamCase {
  const char* name;
  const char* solver;
  const char* model;
  uint64_t backups;
  const char* options = "";
};
void PrintTo(const TeamCase& c, std::ostream* out) {
  *out << c.name;
}

constexpr TeamCase kCases[] = {
    {"nvi_rounds", "nvi", "rock-sample(n=5,k=5,map_seed=2)", 300, "start=blind"},
    {"nvi_growing", "nvi", "rock-sample(n=4,k=3)", 400, "start=blind grow-proposals=40"},
    {"nvi_plan", "nvi", "rock-sample(n=4,k=3)", 900},
    {"nvi_tune", "nvi", "tiger", 250, "tune=yes tune-nodes=4 tune-episodes=500 tune-states=512"},
    {"nvi_anchors", "nvi", "light-dark(clusters=10)", 150, "anchors=300"},
    {"mcvi", "mcvi", "rock-sample(n=4,k=3)", 200},
    {"mcvi_continuous", "mcvi", "light-dark", 60,
     "observations=continuous continuous-samples=32 continuous-score=128"},
    {"nvi_islands", "nvi", "rock-sample(n=3,k=2)", 450,
     "start=blind islands=3 exchange=60 evaluations=500"},
    {"nvi_islands_plan", "nvi", "rock-sample(n=3,k=2)", 700,
     "islands=2 exchange=100 evaluations=500"},
    {"mcvi_islands", "mcvi", "rock-sample(n=3,k=2)", 250, "islands=5 exchange=20 evaluations=500"},
    {"mcvi_continuous_islands", "mcvi", "light-dark", 40,
     "observations=continuous continuous-samples=16 continuous-score=64 islands=2 exchange=10"},
    {"ppo", "ppo", "tiger", 24,
     "hidden=16 lanes=48 steps=16 minibatches=2 epochs=2 evaluations=200"},
};

class TeamSolvers : public testing::TestWithParam<TeamCase> {
 protected:
  std::vector<std::byte> bytes(const Solution& s) const {
    return encode_policy(policy_of(s, *model_));
  }
  std::unique_ptr<Pomdp> model_ = load_domain(GetParam().model);
};

TEST_P(TeamSolvers, GiveTheSameBytesForAllRanksAndThreads) {
  const TeamCase& c = GetParam();
  const Solution alone = solve(c.solver, *model_, work(c.backups), 1, 1, c.options);
  for (int ranks = 1; ranks <= 4; ++ranks)
    for (int threads = 1; threads <= 2; ++threads) {
      const Solution s =
          solve_as_team(c.solver, *model_, work(c.backups), ranks, threads, c.options);
      EXPECT_EQ(bytes(s), bytes(alone)) << ranks << " ranks, " << threads << " threads";
      EXPECT_EQ(s.estimate, alone.estimate);
      EXPECT_EQ(s.upper.value, alone.upper.value);
      EXPECT_EQ(s.backups, alone.backups);
      EXPECT_EQ(s.work.simulator_steps, alone.work.simulator_steps);
      EXPECT_EQ(s.status, alone.status);
    }
}

TEST_P(TeamSolvers, GoOnOnTwoRanksAfterAStopOnThree) {
  const TeamCase& c = GetParam();
  const Solution alone = solve(c.solver, *model_, work(c.backups), 1, 1, c.options);
  MemoryCheckpoints checkpoints;
  Limits limits = work(c.backups / 2);
  limits.checkpoints = &checkpoints;
  solve_as_team(c.solver, *model_, limits, 3, 1, c.options);
  limits.backups = c.backups;
  EXPECT_EQ(bytes(solve_as_team(c.solver, *model_, limits, 2, 2, c.options)), bytes(alone));
}

INSTANTIATE_TEST_SUITE_P(All, TeamSolvers, testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

// A model that breaks down on one rank: all ranks end with its words.
TEST(Teams, EndASolveWithTheWordsOfTheRankThatFailed) {
  const auto model = load_domain("rock-sample(n=5,k=5)");
  int failed = 0;
  for (const std::exception_ptr& thrown : run_as_team(3, [&](Team& team) {
         ThreadPool pool(1);
         pool.set_team(team);
         const std::unique_ptr<Solver> solver = make_solver("nvi");
         set_options(*solver, "start=blind");
         solver->solve(*model, work(100'000), 1, pool, [&](const SolveProgress& p) {
           if (team.rank() == 1 && p.backups > 200) throw Error("the disk is full");
         });
       }))
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const TeamError& error) {
      EXPECT_THAT(error.what(), HasSubstr("rank 1: the disk is full"));
      ++failed;
    }
  EXPECT_EQ(failed, 3);
}

TEST(Teams, CompareTheirControllers) {
  const auto one = load_domain("rock-sample(n=3,k=2,map_seed=1)"),
             other = load_domain("rock-sample(n=3,k=2,map_seed=2)");
  int failed = 0;
  for (const std::exception_ptr& thrown : run_as_team(3, [&](Team& team) {
         ThreadPool pool(1);
         pool.set_team(team);
         const std::unique_ptr<Solver> solver = make_solver("nvi");
         set_options(*solver, "start=blind proposals=2 evaluations=100");
         solver->solve(team.rank() == 2 ? *other : *one, work(100'000), 1, pool, {});
       }))
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const TeamError& error) {
      EXPECT_THAT(error.what(), HasSubstr("rank 2 has another controller"));
      ++failed;
    }
  EXPECT_EQ(failed, 3);
}

}  // namespace
}  // namespace penumbra
