#include "penumbra/model/state_grid.h"

#include <gtest/gtest.h>

#include <cmath>

#include "domains/light_dark.h"
#include "domains/registry.h"
#include "domains/tiger.h"
#include "penumbra/base/error.h"

namespace penumbra {
namespace {

using State = LightDark::State;

TEST(StateGrid, StatesAreInTheMiddleOfTheirCells) {
  const StateGrid model(adapt(LightDark{}), {0.5});
  RecordBuffer state(model.state_size(), 200);
  model.sample_initial({RngKey::from_seed(1)}, state);
  StepBuffers b(model, 200);
  model.step(state, std::vector<int>(200, LightDark::kRight), {RngKey::from_seed(2)},
             b.results(200));
  for (size_t i = 0; i < 200; ++i) {
    const double cell = b.next.as<State>(i).y / 0.5;
    EXPECT_NEAR(cell - std::floor(cell), 0.5, 1e-4);
  }
}

TEST(StateGrid, TerminalStatesKeepTheirPlace) {
  const StateGrid model(adapt(LightDark{}), {1.0});
  RecordBuffer state(model.state_size(), 1);
  state.as<State>(0) = {0.2f, 0};
  StepBuffers b(model, 1);
  model.step(state, std::vector<int>{LightDark::kStop}, {RngKey::from_seed(2)}, b.results(1));
  EXPECT_EQ(b.next.as<State>(0).y, 0.2f);
  EXPECT_EQ(b.ended[0], 1);
  EXPECT_EQ(b.reward[0], 10);
}

TEST(StateGrid, AStepOfZeroLeavesItsCoordinate) {
  const auto plain = load_domain("lidar-roomba");
  const StateGrid model(load_domain("lidar-roomba"), {1.0, 0.0, 0.0});
  RecordBuffer a(model.state_size(), 20), b = a;
  plain->sample_initial({RngKey::from_seed(1)}, a);
  model.sample_initial({RngKey::from_seed(1)}, b);
  std::vector<float> before(60), after(60);
  plain->coordinates(a, before);
  model.coordinates(b, after);
  EXPECT_NE(before, after);
  for (size_t i = 0; i < 60; i += 3) {
    EXPECT_NEAR(after[i + 1], before[i + 1], 1e-5);
    EXPECT_NEAR(after[i + 2], before[i + 2], 1e-5);
  }
}

TEST(StateGrid, RefusesWhatDoesNotFit) {
  EXPECT_THROW(StateGrid(adapt(Tiger{}), {1.0}), Error);
  EXPECT_THROW(StateGrid(adapt(LightDark{}), {1.0, 1.0}), Error);
  EXPECT_THROW(StateGrid(adapt(LightDark{}), {-1.0}), Error);
  EXPECT_THROW(StateGrid(adapt(LightDark{}), {INFINITY}), Error);
  EXPECT_THROW(StateGrid(adapt(LightDark{}), {0.0}), Error);
}

}  // namespace
}  // namespace penumbra
