#include "penumbra/solvers/nvi/nvi.h"

#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/base/error.h"
#include "tests/conformance/solver_kit.h"

namespace penumbra {
namespace {

Solution solve(const std::string& domain, uint64_t backups, int threads,
               const std::vector<std::pair<std::string, std::string>>& options = {}) {
  const auto model = load_finite_domain(domain);
  const auto solver = make_nvi();
  OptionList list = solver->options();
  list.set("evaluations", "2000");
  for (const auto& [name, value] : options) list.set(name, value);
  Limits limits;
  limits.seconds = 0;
  limits.backups = backups;
  ThreadPool pool(threads);
  return solver->solve(*model, limits, 7, pool, {});
}

double score(const std::string& domain, const Solution& solution) {
  const auto model = load_finite_domain(domain);
  ThreadPool pool(2);
  EvaluateOptions how;
  how.episodes = 20'000;
  return evaluate(*model, FscPolicy(controller_of(solution), model->facts()), how, pool).mean;
}

TEST(Nvi, SameControllerForAnyNumberOfThreads) {
  const Solution one = solve("rock-sample(n=4,k=3)", 300, 1);
  for (int threads : {2, 3, 8}) {
    const Solution other = solve("rock-sample(n=4,k=3)", 300, threads);
    EXPECT_EQ(controller_of(one), controller_of(other)) << threads << " threads";
    EXPECT_EQ(one.backups, other.backups);
  }
}

TEST(Nvi, BeatsLeavingAtOnceOnRockSample) {
  const std::string domain = "rock-sample(n=5,k=4,map_seed=2)";
  const Solution s = solve(domain, 1500, 2);
  EXPECT_GT(score(domain, s), 10 * std::pow(0.95, 4) + 5);
  EXPECT_EQ(s.upper.kind, UpperKind::kProven);
  EXPECT_LT(score(domain, s), s.upper.value + 0.15);  // three standard errors
}

TEST(Nvi, APlanIsNotKeptBelowOneActionForEver) {
  // To stay at the dock is worth 0; the plan at few anchors drives off and fails.
  const Solution s = solve("inspection", 60, 2, {{"anchors", "500"}});
  EXPECT_GE(score("inspection(clusters=36)", s), 0);
}

TEST(Nvi, GoesToAnchorsWhereCategoriesAreTooMany) {
  const std::string domain = "laser-tag(map=emu4,clusters=16)";
  const Solution s = solve(domain, 300, 2, {{"anchors", "3000"}});
  EXPECT_GT(score(domain, s), -19);  // -20 is to walk about for ever
}

TEST(Nvi, WorksAsABlackBox) {
  const std::string domain = "rock-sample(n=4,k=3)";
  const Solution s = solve(domain, 800, 2, {{"likelihood", "false"}});
  EXPECT_GT(score(domain, s), 10 * std::pow(0.95, 3) + 3);
}

TEST(Nvi, ZeroBudgetGivesTheBestBlindPolicy) {
  const auto model = load_domain("rock-sample(n=7,k=8)");
  const auto solver = make_nvi();
  Limits limits;
  limits.cancelled = [] { return true; };
  ThreadPool pool(2);
  const Solution s = solver->solve(*model, limits, 1, pool, {});
  EXPECT_EQ(s.status, "cancelled");
  EXPECT_NEAR(s.estimate, 10 * std::pow(0.95, 6), 1e-5);
}

TEST(Nvi, SaysWhatAModelLacks) {
  const auto model = load_domain("light-dark");  // continuous observations
  const auto solver = make_nvi();
  ThreadPool pool(1);
  try {
    solver->solve(*model, {}, 1, pool, {});
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("nvi needs finite observations"), std::string::npos)
        << error.what();
  }
}

TEST(Nvi, OptionsAreCheckedByName) {
  const auto solver = make_nvi();
  OptionList list = solver->options();
  EXPECT_THROW(list.set("burst-lenght", "3"), Error);
  EXPECT_THROW(list.set("proposals", "0"), Error);
  EXPECT_NO_THROW(list.set("paper-order", "reverse"));
}

}  // namespace
}  // namespace penumbra
