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
