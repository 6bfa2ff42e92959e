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
