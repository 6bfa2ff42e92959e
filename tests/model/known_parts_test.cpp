#include "penumbra/model/known_parts.h"

#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/model/mixed_model.h"

namespace penumbra {
namespace {

Tabular table_of(const std::string& domain) {
  Tabular table = load_domain(domain)->table();
  table.visible.clear();
  table.num_visible = 1;
  return table;
}

TEST(KnownParts, TigerHidesEverything) {
  const KnownParts parts = find_known_parts(table_of("tiger"));
  ASSERT_EQ(parts.states.size(), 1);
  EXPECT_EQ(parts.states[0], (std::vector<int>{0, 1}));
  EXPECT_FALSE(parts.start_is_copy);
}

TEST(KnownParts, ARobotThatMovesSurelyKnowsItsPlaceInAFlatTable) {
  const KnownParts parts = find_known_parts(table_of("rock-sample(map=4-4,rules=classic)"));
  EXPECT_EQ(parts.states.size(), 16);
  for (const auto& states : parts.states) EXPECT_EQ(states.size(), 16);
}

// A state is (place, colour); the place is seen with every step but not before the first one.
Tabular announced_place() {
  Tabular t;
  t.name = "announced";
  t.num_states = 4;
  t.num_actions = 1;
  t.num_observations = 2;
  t.transition.resize(1);
  t.observation.resize(1);
  for (int s = 0; s < 4; ++s) {
    for (int place = 0; place < 2; ++place) t.transition[0].add(2 * place + s % 2, 0.5);
    t.observation[0].add(s / 2, 1);
    t.transition[0].end_row();
    t.observation[0].end_row();
  }
  t.reward = {{1, 0, 0, 1}};
  t.start.assign(4, 0.25);
  t.terminal.assign(4, 0);
  return t;
}

TEST(KnownParts, AStartThatIsNotKnownYetIsAPartOfItsOwn) {
  const KnownParts parts = find_known_parts(announced_place());
  ASSERT_EQ(parts.states.size(), 3);
  EXPECT_TRUE(parts.start_is_copy);
  EXPECT_EQ(parts.states[parts.start].size(), 4);
  EXPECT_EQ(parts.states[0], (std::vector<int>{0, 1}));
}

TEST(KnownParts, FinishedStatesAreAbsorbingWithoutReward) {
  Tabular t = announced_place();
  t.transition[0] = {};
  for (int s = 0; s < 4; ++s) {
    t.transition[0].add(s == 1 ? 1 : 3, 1);
    t.transition[0].end_row();
  }
  EXPECT_EQ(finished_states(t), (std::vector<char>{0, 1, 0, 0}));
}

TEST(MixedModel, KeepsEveryStepOfTheTable) {
  const Tabular table = table_of("rock-sample(map=4-4,rules=classic)");
  const MixedModel model(table);
  EXPECT_EQ(model.largest_part(), 16);
  EXPECT_EQ(model.start().value.size(), 16);
  for (int a = 0; a < model.num_actions(); ++a)
    for (const MixedModel::Branch& branch : model.branches(model.start_part(), a)) {
      std::vector<double> next(model.size(branch.part), 0.0);
      model.push(branch, model.start().view(), next.data());
      double sum = 0;
      for (double p : next) sum += p;
      EXPECT_NEAR(sum, 1, 1e-12);
    }
}

}  // namespace
}  // namespace penumbra
