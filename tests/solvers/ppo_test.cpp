#include "penumbra/solvers/ppo/ppo.h"

#include <gtest/gtest.h>

#include <cmath>

#include "domains/registry.h"
#include "penumbra/base/error.h"
#include "penumbra/policy/recurrent.h"
#include "penumbra/solvers/ppo/batch.h"
#include "penumbra/solvers/ppo/options.h"
#include "penumbra/solvers/solver.h"
#include "tests/model/small_models.h"

namespace penumbra {
namespace {

struct Setting {
  const char *name, *value;
};

Solution train(const Pomdp& model, uint64_t backups, std::initializer_list<Setting> settings) {
  const auto solver = make_ppo();
  OptionList options = solver->options();
  for (const Setting& s : settings) options.set(s.name, s.value);
  Limits limits;
  limits.seconds = 0;
  limits.backups = backups;
  ThreadPool pool(2);
  return solver->solve(model, limits, 1, pool, [](const SolveProgress&) {});
}

// Without a memory of the sign it would be 1.80; with one 3.69.
TEST(Ppo, RemembersTheSignOfTheTMaze) {
  const auto model = load_domain("t-maze(length=4)");
  const Solution s = train(*model, 700,
                           {{"hidden", "16"},
                            {"lanes", "64"},
                            {"steps", "32"},
                            {"minibatches", "4"},
                            {"rate", "0.002"},
                            {"entropy", "0.02"},
                            {"evaluations", "300"}});
  ThreadPool pool(1);
  const Score score = evaluate(
      *model, RecurrentPolicy(std::get<std::shared_ptr<const RecurrentActor>>(s.policy), *model),
      {.episodes = 2000}, pool);
  EXPECT_GT(score.mean, 0.95 * 4 * std::pow(0.98, 4));
}

TEST(Ppo, TakesContinuousActionsAndObservations) {
  const auto model = adapt(testing_models::Car{});
  const Solution s = train(*model, 8,
                           {{"hidden", "16"},
                            {"lanes", "16"},
                            {"steps", "8"},
                            {"minibatches", "2"},
                            {"evaluations", "10"}});
  ASSERT_TRUE(policy_as<RecurrentActor>(s.policy));
  EXPECT_EQ(policy_as<RecurrentActor>(s.policy)->head.choices, 0);
  EXPECT_EQ(policy_as<RecurrentActor>(s.policy)->code.num_dense(),
            1 + policy_as<RecurrentActor>(s.policy)->code.action_dimension() +
                policy_as<RecurrentActor>(s.policy)->code.seen_dimension());
}

TEST(Ppo, RefusesWhatDoesNotGoTogether) {
  ppo::PpoOptions o;
  o.hidden = 20;
  EXPECT_THROW(o.settings("tiger"), Error);
  o.hidden = 0;
  o.minibatches = 1000;
  EXPECT_THROW(o.settings("tiger"), Error);
  o.minibatches = 0;
  o.preset = "paper";
  EXPECT_THROW(o.settings("tiger"), Error);
  EXPECT_EQ(o.settings("light-dark(clusters=20)").hidden, 512);
  EXPECT_EQ(o.settings("rock-sample(n=15,k=15)").epochs, 8);
  o.entropy = 0;
  EXPECT_EQ(o.settings("rock-sample(n=11,k=11)").entropy, 0);
}

// One lane by hand: a cut after the second step, an end at the fourth.
TEST(Advantages, StopAtEndsAndCuts) {
  const nn::RecurrentNet net({{{3}, 0, 0}, 16, 1});
  ppo::Batch b(1, 5, net.layout(), 1);
  b.reward = {1, 7, 2, 3, 4};
  b.value = {10, 20, 30, 40, 50, 60};
  b.valid = {1, 0, 1, 1, 1};
  b.ended = {0, 0, 0, 1, 0};
  ppo::add_advantages(b, 0.5, 0.5);
  EXPECT_FLOAT_EQ(b.advantage[4], 4 + 30 - 50);
  EXPECT_FLOAT_EQ(b.advantage[3], 3 - 40);
  EXPECT_FLOAT_EQ(b.advantage[2], 2 + 20 - 30 + 0.25 * (3 - 40));
  EXPECT_FLOAT_EQ(b.advantage[1], 0);
  EXPECT_FLOAT_EQ(b.advantage[0], 1 + 10 - 10);
  EXPECT_FLOAT_EQ(b.target[0], 11);
}

}  // namespace
}  // namespace penumbra
