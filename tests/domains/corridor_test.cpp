#include "domains/corridor.h"

#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/base/error.h"
#include "penumbra/model/macro_pomdp.h"

namespace penumbra {
namespace {

TEST(Corridor, FeelsOnlyTheWallsAndPaysAtTheDoor) {
  Corridor c;
  c.slip = 0;
  Rng rng(RngKey::from_seed(1), 0);
  EXPECT_EQ(c.step({1, 0}, Corridor::kWest, rng).seen, Corridor::kWestWall);
  EXPECT_EQ(c.step({0, 0}, Corridor::kWest, rng).next.x, 0);
  EXPECT_EQ(c.step({38, 0}, Corridor::kEast, rng).seen, Corridor::kEastWall);
  EXPECT_EQ(c.step({20, 0}, Corridor::kEast, rng).seen, Corridor::kNothing);
  EXPECT_EQ(c.step({10, 0}, Corridor::kOpen, rng).reward, 10);
  EXPECT_EQ(c.step({11, 0}, Corridor::kOpen, rng).reward, -10);
}

TEST(Corridor, RefusesADoorOutside) {
  EXPECT_THROW(load_domain("corridor(n=5,door=5)"), Error);
}

TEST(Corridor, AMacroActionGoesToTheWall) {
  auto corridor = load_domain("corridor(n=20,slip=0)");
  const auto macros = corridor_macro_actions(corridor->facts());
  const MacroPomdp model(std::move(corridor), macros);
  RecordBuffer state(model.state_size(), 200);
  model.sample_initial({RngKey::from_seed(1)}, state);
  StepBuffers buffers(model, 200);
  const StepResults out = buffers.results(200);
  model.step(state, std::vector<int>(200, 0), {RngKey::from_seed(2)}, out);
  for (size_t i = 0; i < 200; ++i) EXPECT_EQ(out.next.as<int16_t>(i), 0);
}

}  // namespace
}  // namespace penumbra
