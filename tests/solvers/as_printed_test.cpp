#include "penumbra/solvers/nvi/as_printed.h"

#include <gtest/gtest.h>

#include <atomic>

#include "domains/registry.h"
#include "penumbra/bounds/domain_mdp_value.h"
#include "penumbra/nn/value_bank.h"
#include "tests/conformance/solver_kit.h"

namespace penumbra::nvi {
namespace {

// Heads on few states are exact on tiger and take no time.
PaperOptions quick() {
  PaperOptions o;
  o.num_particles = 2000;
  o.bound_particles = 500;
  o.num_samples = 500;
  o.num_sims = 200;
  o.max_depth = 20;
  o.form = "heads";
  o.features = 16;
  o.episodes = 2000;
  return o;
}

Solution solve(const std::string& spec, const PaperOptions& o, const Limits& limits, int threads,
               const Solver::Report& report = {}) {
  const auto model = load_finite_domain(spec);
  ThreadPool pool(threads);
  return solve_as_printed(*model, o, DomainMdpValue(*model), limits, 1, pool, report);
}

TEST(AsPrinted, TigerImprovesFarAboveTheBlindPolicy) {
  const auto model = load_domain("tiger");
  const Solution s = solve("tiger", quick(), {.seconds = 0, .backups = 400}, 2);
  EXPECT_GT(fsc_value(controller_of(s), model->table()), 10);  // blind: -20; optimum: 19.37
  EXPECT_GT(s.upper.value, 19.37);
  EXPECT_EQ(policy_as<Fnc>(s.policy)->networks->size(), controller_of(s).num_nodes());
  check_fsc(controller_of(s), model->facts());
}

TEST(AsPrinted, SameControllerWithAnyNumberOfThreads) {
  PaperOptions mended = quick().of("paper-mended");
  mended.form = "networks";
  mended.network = "tiny";
  for (const PaperOptions& o : {quick(), mended}) {
    Fsc fsc;
    nn::Bytes networks;
    for (const int threads : {1, 2, 3}) {
      const Solution s = solve("rock-sample(n=3,k=2)", o, {.seconds = 0, .backups = 30}, threads);
      const nn::Bytes bytes = policy_as<Fnc>(s.policy)->networks->save();
      if (threads == 1) fsc = controller_of(s), networks = bytes;
      EXPECT_EQ(controller_of(s), fsc);
      EXPECT_EQ(bytes, networks);
    }
  }
}

TEST(AsPrinted, StopsOnBackupsNodesAndCancel) {
  EXPECT_EQ(solve("tiger", quick(), {.seconds = 0, .backups = 3}, 2).status, "backups");
  EXPECT_EQ(solve("tiger", quick(), {.seconds = 0, .nodes = 2}, 2).status, "nodes");
  Limits cancelled{.seconds = 0};
  cancelled.cancelled = [] { return true; };
  const Solution s = solve("tiger", quick(), cancelled, 2);
  EXPECT_EQ(s.status, "cancelled");
  EXPECT_EQ(s.backups, 0u);
  EXPECT_EQ(controller_of(s).num_nodes(), 1);
}

TEST(AsPrinted, NeverReturnsAWorseControllerThanItReported) {
  double best = -1e9;
  const Solution s =
      solve("tiger", quick(), {.seconds = 0, .backups = 120}, 2,
            [&](const SolveProgress& p) { best = std::max(best, p.simulated.mean); });
  const auto model = load_domain("tiger");
  ThreadPool pool(2);
  const Score score = evaluate(*model, FscPolicy(controller_of(s), model->facts()),
                               {.episodes = 2000, .seed = 1}, pool);
  EXPECT_DOUBLE_EQ(score.mean, best);
}

TEST(AsPrinted, OptionsOfTheAblationsRun) {
  PaperOptions o = quick();
  OptionList list = list_options(o);
  list.set("order", "reverse");
  list.set("targets", "rollout");
  list.set("local-samples", "100");
  list.set("start", "simulation");
  list.set("likelihood", "false");
  o.num_sims = 20;
  const Solution s = solve("rock-sample(n=3,k=2)", o, {.seconds = 0, .backups = 60}, 2);
  EXPECT_GT(controller_of(s).num_nodes(), 1);
}

TEST(AsPrinted, OneNetworkPerNodeAsInThePaper) {
  PaperOptions o = quick();
  o.form = "networks";
  o.max_epochs = 300;
  const Solution s = solve("tiger", o, {.seconds = 0, .backups = 25}, 2);
  EXPECT_GT(controller_of(s).num_nodes(), 5);
  EXPECT_EQ(policy_as<Fnc>(s.policy)->networks->size(), controller_of(s).num_nodes());
}

TEST(AsPrinted, ATrainingThatNeverEndsIsStoppedAndLeavesNoNode) {
  PaperOptions o = quick();
  o.form = "networks";
  o.target_mse = 0;
  o.max_epochs = 10'000'000;
  std::atomic<int> asked = 0;
  Limits limits{.seconds = 0};
  limits.cancelled = [&] { return ++asked > 200; };
  const Solution s = solve("rock-sample(n=3,k=2)", o, limits, 2);
  EXPECT_EQ(s.status, "cancelled");
  EXPECT_EQ(s.backups, 0u);
}

TEST(AsPrinted, MendedFindsGoodRocksWithANetworkPerNode) {
  PaperOptions o = quick();
  o.form = "networks";
  o.network = "tiny";
  o.num_sims = 10;
  const auto best = [&](const PaperOptions& with) {
    return solve("rock-sample(n=4,k=4,map_seed=1)", with, {.seconds = 0, .backups = 120}, 2);
  };
  const auto model = load_domain("rock-sample(n=4,k=4,map_seed=1)");
  const double mended = fsc_value(controller_of(best(o.of("paper-mended"))), model->table());
  o.max_epochs = 50;  // a few seconds instead of minutes
  EXPECT_GT(mended, 1 + fsc_value(controller_of(best(o)), model->table()));
}

TEST(PaperOptions, APresetFillsInOnlyWhatWasNotGiven) {
  PaperOptions o;
  EXPECT_EQ(o.of("paper").order, "forward");
  EXPECT_EQ(o.of("paper").training, "paper");
  EXPECT_EQ(o.of("paper-mended").bounds, "look-ahead");
  o.order = "forward";
  EXPECT_EQ(o.of("paper-mended").order, "forward");
  EXPECT_EQ(o.of("paper-mended").walk, "policy");
}

TEST(AsPrinted, TakesThePapersNetworkForStatesOfThisKind) {
  PaperOptions o;
  EXPECT_EQ(o.network_for(load_domain("rock-sample(n=4,k=3)")->features()), "paper-rock-sample");
  EXPECT_EQ(o.network_for(load_domain("light-dark")->features()), "paper-continuous");
  o.network = "tiny";
  EXPECT_EQ(o.network_for(load_domain("light-dark")->features()), "tiny");
}

}  // namespace
}  // namespace penumbra::nvi
