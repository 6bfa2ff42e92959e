// What must not change an answer, or must change it in a known way.
#include <gtest/gtest.h>

#include "tests/solvers/tables.h"

namespace penumbra {
namespace {

void expect_bracket(const Tabular& table, double value) {
  const Solution s = solve_table("sarsop", table, 1e-2 * std::max(1.0, std::abs(value) / 20));
  EXPECT_EQ(s.status, "gap");
  EXPECT_LE(s.lower, value + 1e-6);
  EXPECT_GE(s.upper.value, value - 1e-6);
}

constexpr double kTiger = 19.371368;
constexpr double kRocks = 19.0102;  // RockSample(4,4), within 5e-4

TEST(Metamorphic, PermutedStates) {
  expect_bracket(renamed_states(tiger_table(), {1, 0}), kTiger);
  const Tabular rocks = rock_table();
  std::vector<int> order(rocks.num_states);
  for (int s = 0; s < rocks.num_states; ++s) order[s] = (s * 7 + 3) % rocks.num_states;
  const Solution s = solve_table("sarsop", renamed_states(rocks, order), 1e-2);
  EXPECT_NEAR((s.lower + s.upper.value) / 2, kRocks, 0.011);
}

TEST(Metamorphic, ADuplicatedActionChangesNothing) {
  Tabular t = tiger_table();
  t.num_actions = 4;
  t.transition.push_back(t.transition[0]);
  t.observation.push_back(t.observation[0]);
  t.reward.push_back(t.reward[0]);
  t.action_names.push_back("listen-again");
  expect_bracket(t, kTiger);
}

TEST(Metamorphic, AConstantReward) {
  Tabular t = tiger_table();
  for (auto& rewards : t.reward)
    for (double& r : rewards) r += 3;
  expect_bracket(t, kTiger + 3 / (1 - t.discount));
}

TEST(Metamorphic, ScaledRewards) {
  Tabular t = tiger_table();
  for (auto& rewards : t.reward)
    for (double& r : rewards) r *= 10;
  expect_bracket(t, 10 * kTiger);
}

TEST(Metamorphic, ASplitState) {
  // State 1 becomes states 1 and 2, entered with chances 0.3 and 0.7; they behave alike.
  Tabular t = tiger_table(), split = t;
  split.num_states = 3;
  split.state_names.clear();
  for (int a = 0; a < 3; ++a) {
    split.transition[a] = split.observation[a] = {};
    for (int s : {0, 1, 1}) {
      for (const auto& e : t.transition[a].row(s)) {
        if (e.column == 0) split.transition[a].add(0, e.value);
        if (e.column == 1) split.transition[a].add(1, 0.3 * e.value);
        if (e.column == 1) split.transition[a].add(2, 0.7 * e.value);
      }
      for (const auto& e : t.observation[a].row(s)) split.observation[a].add(e.column, e.value);
      split.transition[a].end_row();
      split.observation[a].end_row();
    }
    split.reward[a].push_back(split.reward[a][1]);
  }
  split.start = {0.5, 0.2, 0.3};
  split.terminal.push_back(0);
  expect_bracket(split, kTiger);
}

}  // namespace
}  // namespace penumbra
