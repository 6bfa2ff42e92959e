#include "penumbra/policy/alpha_vectors.h"

#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/base/error.h"
#include "penumbra/evaluate/score.h"
#include "penumbra/policy/alpha_controller.h"

namespace penumbra {
namespace {

// Listen at first; open when one side is likely enough.
AlphaVectors tiger_vectors() {
  return {2, 3, {{0, 1}}, {{0, 0, {0, 0}}, {1, 0, {-100, 10}}, {2, 0, {10, -100}}}};
}

std::shared_ptr<const MixedModel> tiger_model() {
  return std::make_shared<const MixedModel>(load_domain("tiger")->table());
}

TEST(AlphaVectors, TheBestVectorActs) {
  const AlphaPolicy policy(tiger_vectors(), tiger_model());
  const double middle[] = {0.5, 0.5}, right[] = {0.02, 0.98};
  EXPECT_EQ(policy.action(0, {middle, {}}), 0);
  EXPECT_EQ(policy.action(0, {right, {}}), 1);
  EXPECT_EQ(policy.start_value(), 0);
}

TEST(AlphaVectors, TheControllerIsWorthWhatSimulationSays) {
  const auto model = load_domain("tiger");
  const AlphaPolicy policy(tiger_vectors(), tiger_model());
  ThreadPool pool(2);
  EvaluateOptions how;
  how.episodes = 20'000;
  const Score score = evaluate(*model, policy, how, pool);
  const double exact = fsc_value(alpha_controller(policy, 2), model->table());
  EXPECT_NEAR(score.mean, exact, 5 * score.standard_error);
}

// Values without sense, so that episodes come to many beliefs.
AlphaVectors senseless_values(const Tabular& table) {
  AlphaVectors v{table.num_states, table.num_actions, {{}}, {}};
  for (int s = 0; s < table.num_states; ++s) v.parts[0].push_back(s);
  for (int a = 0; a < table.num_actions; ++a) {
    Rng rng(RngKey::from_seed(7), a);
    AlphaVectors::Vector vector{a, 0, {}};
    for (int s = 0; s < table.num_states; ++s) vector.value.push_back(rng.uniform());
    v.vectors.push_back(std::move(vector));
  }
  return v;
}

TEST(AlphaVectors, WhatIsRememberedChangesNothing) {
  const auto model = load_domain("rock-sample(n=3,k=3)");
  const Tabular table = model->table();
  const auto mixed = std::make_shared<const MixedModel>(table);
  EvaluateOptions how;
  how.episodes = 2000;
  how.max_steps = 30;
  std::vector<double> means;
  for (const size_t bytes : {0, 3000, 256'000'000})
    for (const int threads : {1, 3}) {
      ThreadPool pool(threads);
      means.push_back(
          evaluate(*model, AlphaPolicy(senseless_values(table), mixed, bytes), how, pool).mean);
    }
  for (const double mean : means) EXPECT_EQ(mean, means[0]);
}

// Somebody else's action leads to a belief that is not remembered.
TEST(AlphaVectors, OtherActionsThanItsOwnAreTracked) {
  const AlphaPolicy policy(tiger_vectors(), tiger_model());
  RecordBuffer memory(policy.memory_size(), 1), action(sizeof(int), 1), seen(sizeof(int), 1);
  policy.start({}, memory);
  policy.act(memory, {}, action);
  EXPECT_EQ(action.as<int>(0), 0);
  seen.as<int>(0) = 0;
  for (int heard = 0; heard < 3; ++heard) policy.observe(memory, action, seen, {});
  policy.act(memory, {}, action);
  EXPECT_EQ(action.as<int>(0), 2);  // the tiger is left
  action.as<int>(0) = 0;            // but it listens once more
  policy.observe(memory, action, seen, {});
  policy.act(memory, {}, action);
  EXPECT_EQ(action.as<int>(0), 2);
}

TEST(AlphaVectors, AControllerOfFewNodesSharesThemByVector) {
  const AlphaPolicy policy(tiger_vectors(), tiger_model());
  const Fsc fsc = alpha_controller(policy, 2, 1);
  EXPECT_LE(fsc.num_nodes(), 4);
}

TEST(AlphaVectors, WrongOnesAreRefused) {
  AlphaVectors v = tiger_vectors();
  v.vectors[1].action = 3;
  EXPECT_THROW(check_alpha_vectors(v), Error);
  v = tiger_vectors();
  v.vectors[1].value.pop_back();
  EXPECT_THROW(check_alpha_vectors(v), Error);
  v = tiger_vectors();
  v.parts[0] = {1, 0};
  EXPECT_THROW(check_alpha_vectors(v), Error);
  v = tiger_vectors();
  v.num_states = 3;
  EXPECT_THROW(AlphaPolicy(v, tiger_model()), Error);
}

}  // namespace
}  // namespace penumbra
