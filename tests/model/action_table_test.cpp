#include "penumbra/model/action_table.h"

#include <gtest/gtest.h>

#include "domains/tiger.h"
#include "penumbra/base/error.h"
#include "tests/model/small_models.h"

namespace penumbra {
namespace {

using testing_models::Car;

RecordBuffer three_pushes() {
  RecordBuffer actions(sizeof(Car::Action));
  for (float push : {-1.0f, 0.0f, 0.5f}) {
    const Car::Action a{push, 0};
    actions.push_back(reinterpret_cast<const std::byte*>(&a));
  }
  return actions;
}

TEST(ActionTable, ActionIsARowOfTheTable) {
  const auto model = action_table(adapt(Car{}), three_pushes(), {"back", "wait", "ahead"});
  EXPECT_EQ(model->facts().num_actions, 3);
  EXPECT_EQ(model->facts().action_name(2), "ahead");
  RecordBuffer state(model->state_size(), 3);
  StepBuffers b(*model, 3);
  model->step(state, std::vector<int>{0, 1, 2}, {RngKey::from_seed(1)}, b.results(3));
  EXPECT_EQ(b.next.as<Car::State>(0).x, -1);
  EXPECT_EQ(b.next.as<Car::State>(1).x, 0);
  EXPECT_EQ(b.next.as<Car::State>(2).x, 0.5f);
}

TEST(ActionTable, StepsAreThoseOfTheContinuousAction) {
  const auto plain = adapt(Car{});
  const auto model = action_table(adapt(Car{}), three_pushes(), {});
  const size_t n = 600;  // more than the block it works in
  RecordBuffer state(model->state_size(), n), push(sizeof(Car::Action), n);
  for (size_t i = 0; i < n; ++i) push.as<Car::Action>(i) = {0.5f, 0};
  StepBuffers a(*plain, n), b(*model, n);
  plain->step(state, ConstRecords(push), {RngKey::from_seed(1), 7}, a.results(n));
  model->step(state, std::vector<int>(n, 2), {RngKey::from_seed(1), 7}, b.results(n));
  EXPECT_EQ(a.next, b.next);
  EXPECT_EQ(a.seen, b.seen);
  EXPECT_EQ(a.reward, b.reward);
}

TEST(ActionTable, RefusesWhatDoesNotFit) {
  EXPECT_THROW(action_table(adapt(Tiger{}), three_pushes(), {}), Error);
  EXPECT_THROW(action_table(adapt(Car{}), RecordBuffer(sizeof(Car::Action)), {}), Error);
  EXPECT_THROW(action_table(adapt(Car{}), RecordBuffer(4, 3), {}), Error);
  EXPECT_THROW(action_table(adapt(Car{}), three_pushes(), {"one"}), Error);
}

}  // namespace
}  // namespace penumbra
