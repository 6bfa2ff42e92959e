#include "penumbra/model/macro_pomdp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/base/error.h"
#include "penumbra/evaluate/score.h"
#include "penumbra/model/check_model.h"
#include "penumbra/policy/macro_controller.h"

namespace penumbra {
namespace {

// Listens until it hears the tiger on the left: any number of times.
MacroAction listen_for_left() {
  return {"listen for left", {0}, {MacroAction::kEnds, 0}, 2};
}

TEST(MacroPomdp, KeepsThePromisesOfAModel) {
  const auto rocks = load_domain("rock-sample(n=7,k=3)");
  std::vector<MacroAction> macros = single_actions(rocks->facts());
  for (const MacroAction& m : repeated_actions(rocks->facts(), 3)) macros.push_back(m);
  const MacroPomdp model(load_domain("rock-sample(n=7,k=3)"), macros);
  EXPECT_THAT(check_model(model), testing::IsEmpty());
  const MacroPomdp tiger(load_domain("tiger"), {listen_for_left()});
  EXPECT_FALSE(tiger.has(Capability::kLikelihood));
  EXPECT_THAT(check_model(tiger), testing::IsEmpty());
}

// One node per macro-action, whatever is seen going on to the next.
Fsc circle(int num_actions, int num_observations) {
  Fsc fsc;
  fsc.num_observations = num_observations;
  for (int a = 0; a < num_actions; ++a) fsc.add_node(a);
  for (int a = 0; a < num_actions; ++a)
    for (int o = 0; o < num_observations; ++o) fsc.set_edge(a, o, (a + o + 1) % num_actions);
  return fsc;
}

TEST(MacroPomdp, DiscountsRandomDurationsAsTheExpandedControllerDoes) {
  const auto tiger = load_domain("tiger");
  std::vector<MacroAction> macros = single_actions(tiger->facts());
  macros.push_back(listen_for_left());
  macros.push_back(macro_sequence("listen twice, open", {0, 0, 1}));
  const Fsc fsc = circle(static_cast<int>(macros.size()), 2);
  const double exact = fsc_value(expand_macros(fsc, macros), tiger->table());
  const MacroPomdp model(load_domain("tiger"), macros);
  ThreadPool pool(2);
  const Score score = evaluate(model, FscPolicy(fsc, model.facts()), {.episodes = 60'000}, pool);
  EXPECT_NEAR(score.mean, exact, 4 * score.standard_error);
  EXPECT_LT(score.standard_error, 0.02 * std::abs(exact));
}

TEST(MacroPomdp, SingleActionsAreTheModelItself) {
  const auto rocks = load_domain("rock-sample(n=4,k=2)");
  const MacroPomdp model(load_domain("rock-sample(n=4,k=2)"), single_actions(rocks->facts()));
  const Fsc fsc = circle(rocks->facts().num_actions, 3);
  EXPECT_EQ(expand_macros(fsc, model.macros()), fsc);
  ThreadPool pool(1);
  const EvaluateOptions how{.episodes = 1000};
  EXPECT_EQ(evaluate(model, FscPolicy(fsc, model.facts()), how, pool).mean,
            evaluate(*rocks, FscPolicy(fsc, rocks->facts()), how, pool).mean);
}

TEST(MacroAction, IsRefusedWhereItIsWrong) {
  const Facts facts = load_domain("tiger")->facts();
  EXPECT_NO_THROW(check_macro_action(listen_for_left(), facts));
  EXPECT_EQ(longest_play(listen_for_left()), 0);
  EXPECT_EQ(longest_play(macro_sequence("two", {0, 0})), 2);
  EXPECT_THROW(check_macro_action({"no end", {0, 0}, {1, 0}, 1}, facts), Error);
  EXPECT_THROW(check_macro_action({"no action", {7}, {-1}, 1}, facts), Error);
  EXPECT_THROW(check_macro_action({"no node", {}, {}, 1}, facts), Error);
  EXPECT_THROW(check_macro_action({"edges", {0}, {-1, -1, -1}, 3}, facts), Error);
}

}  // namespace
}  // namespace penumbra
