#include "penumbra/solvers/mcvi/mcvi.h"

#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/base/error.h"
#include "penumbra/io/policy_file.h"
#include "penumbra/policy/likelihood_controller.h"
#include "penumbra/solvers/mcvi/mc_backup.h"
#include "tests/conformance/solver_kit.h"

namespace penumbra {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

Solution run(const Pomdp& model, const Limits& limits, int threads, const Settings& settings) {
  const auto solver = make_mcvi();
  OptionList list = solver->options();
  for (const auto& [name, value] : settings) list.set(name, value);
  ThreadPool pool(threads);
  return solver->solve(model, limits, 7, pool, {});
}

const Settings kPaper = {
    {"preset", "paper"},       {"paper-particles", "500"},    {"paper-bound-particles", "100"},
    {"paper-max-depth", "15"}, {"paper-rollout-depth", "40"}, {"paper-episodes", "2000"}};

TEST(Mcvi, PaperPresetImprovesOnTheBlindPolicyOfTiger) {
  const auto tiger = load_domain("tiger");
  const Solution s = run(*tiger, work(40), 2, kPaper);
  EXPECT_GT(fsc_value(controller_of(s), tiger->table()), -15);  // blind: -20; optimum: 19.37
}

TEST(Mcvi, PaperPresetDoesNotDependOnThreadsAndGoesOnAfterAStop) {
  const auto rocks = load_domain("rock-sample(n=3,k=2)");
  const Fsc whole = controller_of(run(*rocks, work(12), 1, kPaper));
  EXPECT_EQ(controller_of(run(*rocks, work(12), 3, kPaper)), whole);
  MemoryCheckpoints checkpoints;
  Limits limits = work(5);
  limits.checkpoints = &checkpoints;
  run(*rocks, limits, 1, kPaper);
  limits.backups = 12;
  EXPECT_EQ(controller_of(run(*rocks, limits, 2, kPaper)), whole);
}

TEST(Mcvi, ABackupTakesNoMoreCallsThanTheFormula) {
  const auto rocks = load_domain("rock-sample(n=3,k=2)");
  mcvi::PaperOptions options;
  options.num_particles = 100;
  options.rollout_depth = 20;
  Work done;
  ThreadPool pool(1);
  mcvi::McBackup backup(*rocks, options, pool, done);
  Particles belief(rocks->state_size(), 100);
  rocks->sample_initial({RngKey::from_seed(1)}, belief.states);
  for (int i = 0; i < 4; ++i) {
    const double before = done.simulator_steps, most = backup.printed_cost() + 7 * 100;
    backup.run(belief, RngKey::from_seed(i), {});
    EXPECT_LE(done.simulator_steps - before, most);
  }
}

const Settings kContinuous = {
    {"observations", "continuous"}, {"continuous-samples", "32"}, {"continuous-score", "128"}};

TEST(Mcvi, WithoutClustersItBeatsTheBlindPoliciesOfLightDark) {
  const auto model = load_domain("light-dark");
  const Solution s = run(*model, work(60), 2, kContinuous);
  ASSERT_TRUE(policy_as<LikelihoodController>(s.policy));
  ThreadPool pool(2);
  const PolicyFile file = describe_policy(*model, s.policy);
  const PolicyFile loaded = decode_policy(encode_policy(file), "memory");
  EXPECT_NO_THROW(check_policy_fits(loaded, *model, "memory"));
  const EvaluateOptions how{.episodes = 4000};
  const double value = evaluate(*model, *playable(loaded, *model), how, pool).mean;
  EXPECT_GT(value, 1);  // to walk on for ever: 0
  EXPECT_EQ(value, evaluate(*model, *playable(file, *model), how, pool).mean);
}

TEST(Mcvi, WithoutClustersItDoesNotDependOnThreadsAndGoesOnAfterAStop) {
  const auto model = load_domain("light-dark");
  auto bytes = [&](const Solution& s) { return encode_policy(describe_policy(*model, s.policy)); };
  const auto whole = bytes(run(*model, work(40), 1, kContinuous));
  EXPECT_EQ(bytes(run(*model, work(40), 3, kContinuous)), whole);
  MemoryCheckpoints checkpoints;
  Limits limits = work(15);
  limits.checkpoints = &checkpoints;
  run(*model, limits, 1, kContinuous);
  limits.backups = 40;
  EXPECT_EQ(bytes(run(*model, limits, 2, kContinuous)), whole);
}

TEST(Mcvi, SaysWhatDoesNotGoTogether) {
  const auto tiger = load_domain("tiger");
  EXPECT_THROW(run(*tiger, work(1), 1, {{"observations", "continuous"}}), Error);
  EXPECT_THROW(run(*load_domain("light-dark"), work(1), 1, {}), Error);
}

TEST(LikelihoodController, TakesTheSuccessorThatTheObservationSpeaksFor) {
  const auto model = load_domain("light-dark");
  // Two samples, at 5 (where the light is) and at 0; each has a successor that is good there.
  LikelihoodNode node;
  node.action = 2;
  node.successor = {7, 8};
  node.samples = RecordBuffer(model->state_size(), 2);
  const float at[] = {5, 0};
  model->from_coordinates(at, node.samples);
  node.value = {10, 0, 0, 10};
  std::vector<double> scratch;
  auto after = [&](float seen) {
    return next_node(*model, node, reinterpret_cast<const std::byte*>(&seen), scratch);
  };
  EXPECT_EQ(after(5.0f), 7);
  EXPECT_EQ(after(0.0f), 8);
  EXPECT_EQ(after(1e30f), 7);  // explained by none
}

}  // namespace
}  // namespace penumbra
