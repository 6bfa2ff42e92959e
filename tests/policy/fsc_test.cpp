#include "penumbra/policy/fsc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domains/registry.h"
#include "domains/tiger.h"
#include "penumbra/base/error.h"
#include "tests/error_of.h"
#include "tests/policy/tiger_controllers.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

template <class Spoil>
std::string complaint(Spoil spoil) {
  Fsc fsc = tiger_controller();
  spoil(fsc);
  return error_of([&] { check_fsc(fsc, Tiger{}.facts()); });
}

TEST(Fsc, ChecksNameWhatIsWrong) {
  EXPECT_EQ(complaint([](Fsc&) {}), "");
  EXPECT_THAT(complaint([](Fsc& f) { f.action[1] = 3; }), HasSubstr("node 1 has action 3"));
  EXPECT_THAT(complaint([](Fsc& f) { f.edges[2] = 5; }), HasSubstr("node 5, which does not exist"));
  EXPECT_THAT(complaint([](Fsc& f) { f.edges[2] = -1; }), HasSubstr("does not exist"));
  EXPECT_THAT(complaint([](Fsc& f) { f.start = 9; }), HasSubstr("start"));
  EXPECT_THAT(complaint([](Fsc& f) { f.edges.pop_back(); }), HasSubstr("edges"));
  EXPECT_THAT(complaint([](Fsc& f) { f.num_observations = 3; }), HasSubstr("3 observations"));
  EXPECT_THAT(complaint([](Fsc& f) { f = Fsc{2, 0, {}, {}}; }), HasSubstr("no nodes"));
}

// Two nodes that take rows 2 and 0 of three real actions.
Fsc with_real_actions() {
  Fsc fsc;
  fsc.num_observations = 2;
  fsc.add_node(2);
  fsc.add_node(0);
  fsc.action_width = 1;
  fsc.action_values = {0.5f, 0.25f, -0.5f};
  return fsc;
}

Facts line_of_actions() {
  Facts facts = Tiger{}.facts();
  facts.num_actions = 0;
  facts.action_names = {};
  facts.action_low = {-1};
  facts.action_high = {1};
  return facts;
}

TEST(Fsc, PlaysRealActions) {
  const FscPolicy policy(with_real_actions(), line_of_actions());
  RecordBuffer memory(sizeof(int32_t), 2), action(sizeof(float), 2);
  memory.as<int32_t>(1) = 1;
  policy.act(memory, {RngKey::from_seed(1)}, action);
  EXPECT_EQ(action.as<float>(0), -0.5f);
  EXPECT_EQ(action.as<float>(1), 0.5f);
}

TEST(Fsc, DropsRealActionsThatNoNodeTakes) {
  Fsc fsc = with_real_actions();
  fsc.add_node(1);
  fsc.action_values[1] = 0.5f;  // the same as the first
  fsc.drop_unused_actions();
  EXPECT_EQ(fsc.action_values, (std::vector<float>{0.5f, -0.5f}));
  EXPECT_EQ(fsc.action, (std::vector<int>{1, 0, 0}));
}

TEST(Fsc, RealActionsMustFitTheBox) {
  Fsc fsc = with_real_actions();
  fsc.action_values[1] = 1.5f;
  EXPECT_THAT(error_of([&] { check_fsc(fsc, line_of_actions()); }),
              HasSubstr("real action 1 of the controller is outside of the box"));
  fsc = with_real_actions();
  fsc.action[1] = 3;
  EXPECT_THAT(error_of([&] { check_fsc(fsc, line_of_actions()); }), HasSubstr("node 1 has action"));
  EXPECT_THAT(error_of([&] { check_fsc(with_real_actions(), Tiger{}.facts()); }), testing::Eq(""));
  fsc.action_values.push_back(0);
  EXPECT_THAT(error_of([&] { check_fsc(fsc, Tiger{}.facts()); }), HasSubstr("finite set"));
}

TEST(Fsc, IsRefusedForContinuousObservations) {
  const auto model = load_domain("light-dark");
  EXPECT_THROW(FscPolicy(tiger_controller(), model->facts()), Error);
}

TEST(FscValue, AlwaysListenLosesOneForEver) {
  EXPECT_NEAR(fsc_value(always(Tiger::kListen), Tiger{}.table()), -20, 1e-10);
}

TEST(FscValue, OpeningBlindlyIsACoinFlip) {
  EXPECT_NEAR(fsc_value(always(Tiger::kOpenLeft), Tiger{}.table()), -45 / 0.05, 1e-9);
}

TEST(FscValue, TheBestTigerControllerReachesTheKnownOptimum) {
  EXPECT_NEAR(fsc_value(tiger_controller(), Tiger{}.table()), 19.3714, 1e-3);
}

TEST(FscValue, ValuesSolveTheirOwnEquations) {
  const Tabular t = Tiger{}.table();
  const Fsc fsc = tiger_controller();
  const std::vector<double> v = fsc_values(fsc, t);
  for (int n = 0; n < fsc.num_nodes(); ++n)
    for (int s = 0; s < 2; ++s) {
      double later = 0;
      for (const auto& to : t.transition[fsc.action[n]].row(s))
        for (const auto& o : t.observation[fsc.action[n]].row(to.column))
          later += to.value * o.value * v[fsc.next(n, o.column) * 2 + to.column];
      EXPECT_NEAR(v[n * 2 + s], t.reward[fsc.action[n]][s] + 0.95 * later, 1e-10);
    }
}

TEST(FscValue, EndsWhereOnlyRoundingMoves) {
  Tiger huge;
  huge.discount = 0.999;
  huge.tiger_penalty = -1e9f;
  EXPECT_LT(fsc_value(tiger_controller(), huge.table()), -1e9);
}

TEST(FscValue, TerminalStatesAreWorthNothing) {
  const auto model = load_domain("rock-sample(n=3,k=1)");
  Fsc east{3, 0, {}, {}};
  east.add_node(2);
  EXPECT_NEAR(fsc_value(east, model->table()), 10 * 0.95 * 0.95, 1e-12);
}

TEST(FscPolicy, FollowsItsEdges) {
  const FscPolicy policy(tiger_controller(), Tiger{}.facts());
  RecordBuffer memory(policy.memory_size(), 2), action(sizeof(int), 2), seen(sizeof(int), 2);
  policy.start({}, memory);
  policy.act(memory, {}, action);
  EXPECT_EQ(action.as<int>(0), Tiger::kListen);
  seen.as<int>(1) = 1;
  for (int repeat = 0; repeat < 2; ++repeat) policy.observe(memory, action, seen, {});
  policy.act(memory, {}, action);
  EXPECT_EQ(action.as<int>(0), Tiger::kOpenRight);
  EXPECT_EQ(action.as<int>(1), Tiger::kOpenLeft);
}

}  // namespace
}  // namespace penumbra
