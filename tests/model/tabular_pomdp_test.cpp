#include "penumbra/model/tabular_pomdp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domains/tiger.h"
#include "penumbra/base/error.h"
#include "penumbra/model/check_model.h"

namespace penumbra {
namespace {

// Two rooms that are seen, two moods that are not; the exit of room 1 ends it.
Tabular two_rooms() {
  Tabular t;
  t.name = "two rooms";
  t.discount = 0.9;
  t.num_states = 4;
  t.num_actions = 2;
  t.num_observations = 2;
  t.variables = {{"room", {"hall", "exit"}, true}, {"mood", {"calm", "cross"}, false}};
  t.visible = {0, 0, 1, 1};
  t.num_visible = 2;
  t.transition.resize(2);
  t.observation.resize(2);
  for (int a = 0; a < 2; ++a)
    for (int s = 0; s < 4; ++s) {
      if (s >= 2) {
        t.transition[a].add(s, 1);
      } else {
        t.transition[a].add(s, 0.5);
        t.transition[a].add(a == 0 ? 1 - s : 2 + s, 0.5);
      }
      t.transition[a].end_row();
      t.observation[a].add(0, s % 2 ? 0.25 : 0.75);
      t.observation[a].add(1, s % 2 ? 0.75 : 0.25);
      t.observation[a].end_row();
    }
  t.reward = {{1, 2, 0, 0}, {-1, 3, 0, 0}};
  t.start = {0.25, 0.75, 0, 0};
  t.terminal = {0, 0, 1, 1};
  return t;
}

TEST(TabularPomdp, KeepsThePromisesOfAModel) {
  EXPECT_THAT(check_model(*tabular_pomdp(Tiger{}.table())), testing::IsEmpty());
  EXPECT_THAT(check_model(*tabular_pomdp(two_rooms())), testing::IsEmpty());
}

TEST(TabularPomdp, ObservationsHoldWhatIsVisible) {
  const auto model = tabular_pomdp(two_rooms());
  EXPECT_EQ(model->facts().num_observations, 4);
  EXPECT_EQ(model->facts().observation_name(3), "exit:o1");
  const int seen = 2, action = 0;  // exit, o0
  const int states[] = {0, 3};
  double p[2];
  model->likelihood(reinterpret_cast<const std::byte*>(&seen),
                    reinterpret_cast<const std::byte*>(&action),
                    {reinterpret_cast<const std::byte*>(states), sizeof(int), 2}, p);
  EXPECT_EQ(p[0], 0);
  EXPECT_EQ(p[1], 0.25);
}

TEST(TabularPomdp, FeaturesAreTheVariables) {
  const auto model = tabular_pomdp(two_rooms());
  EXPECT_EQ(model->features().categories, (std::vector<int>{2, 2}));
  FeatureBatch batch(model->features(), 1);
  const int state = 2;
  model->encode({reinterpret_cast<const std::byte*>(&state), sizeof state, 1}, batch);
  EXPECT_EQ(batch.category()[0], 1);
  EXPECT_EQ(batch.category()[1], 0);
  EXPECT_EQ(model->describe_state(reinterpret_cast<const std::byte*>(&state)), "exit,calm");
}

TEST(TabularPomdp, LongRowsAreDrawnByTheirProbabilities) {
  Tabular t = Tiger{}.table();
  t.num_states = 100;
  t.state_names.clear();
  t.terminal.assign(100, 0);
  t.start.assign(100, 0.01);
  for (int a = 0; a < 3; ++a) {
    t.reward[a].assign(100, 1);
    t.transition[a] = t.observation[a] = {};
    for (int s = 0; s < 100; ++s) {
      for (int next = 0; next < 100; ++next) t.transition[a].add(next, next % 2 ? 0.015 : 0.005);
      t.transition[a].end_row();
      t.observation[a].add(s % 2, 1);
      t.observation[a].end_row();
    }
  }
  EXPECT_THAT(check_model(*tabular_pomdp(t)), testing::IsEmpty());
}

TEST(TabularPomdp, RefusesWhatIsNoTable) {
  Tabular t = two_rooms();
  t.visible[0] = 7;
  EXPECT_THROW(tabular_pomdp(t), Error);
  t = two_rooms();
  t.variables[1].values.push_back("sad");
  EXPECT_THROW(tabular_pomdp(t), Error);
}

}  // namespace
}  // namespace penumbra
