#include "domains/vdp_tag.h"

#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/base/error.h"
#include "penumbra/evaluate/score.h"
#include "penumbra/model/cluster_observations.h"
#include "penumbra/policy/simple.h"
#include "yardsticks/vdp_tag_expert.h"

namespace penumbra {
namespace {

using Point = VdpTag::Point;
using State = VdpTag::State;
constexpr float kEast = 0, kNorth = std::numbers::pi_v<float> / 2, kWest = 2 * kNorth;

Outcome<State, VdpTag::Observation> step(const VdpTag& m, State s, VdpTag::Action a,
                                         uint64_t lane = 0) {
  Rng rng(RngKey::from_seed(1), lane);
  return m.step(s, a, rng);
}

VdpTag still() {  // the target goes where the oscillator carries it
  VdpTag m;
  m.drift = 0;
  return m;
}

TEST(VdpTag, TheOscillatorCarriesTheTarget) {
  const Point cases[][2] = {{{1, 1}, {0.498743f, 1.195529f}},
                            {{-2, 3}, {-2.459241f, 2.399783f}},
                            {{4, 4}, {-1.471323f, 4.186757f}},
                            {{0.5f, -0.5f}, {1.475085f, -0.246618f}}};
  for (const auto& c : cases) {
    EXPECT_NEAR(VdpTag::carried(c[0]).x, c[1].x, 1e-6);
    EXPECT_NEAR(VdpTag::carried(c[0]).y, c[1].y, 1e-6);
  }
}

TEST(VdpTag, TheLimitCycleIsAsLargeAndLongAsItShouldBe) {
  Point p{2, 0};
  for (int i = 0; i < 100; ++i) p = VdpTag::carried(p);
  float widest = 0, highest = 0;
  for (int i = 0; i < 300; ++i) {
    p = VdpTag::carried(p);
    widest = std::max(widest, std::abs(p.x));
    highest = std::max(highest, std::abs(p.y));
  }
  EXPECT_NEAR(widest, 2.02, 0.01);
  EXPECT_NEAR(highest, 1.31, 0.01);
}

TEST(VdpTag, BarriersStopTheAgentJustShort) {
  const VdpTag m;
  struct Case {
    Point from;
    float angle;
    Point to;
  };
  const Case cases[] = {
      {{1, 0.3f}, -kNorth, {1, 0}},            // down to the eastern one
      {{1, -0.2f}, kNorth, {1, 0}},            // up to it
      {{-0.1f, -2}, kEast, {0, -2}},           // to the southern one
      {{0.1f, 0.3f}, -kNorth, {0.1f, -0.2f}},  // through the gap in the middle
      {{3.1f, 0.3f}, -kNorth, {3.1f, -0.2f}},  // around the end
      {{1, 0}, kEast, {1.5f, 0}},              // along it
      {{0, 0}, kWest, {-0.5f, 0}},
  };
  for (const Case& c : cases) {
    const Point to = m.moved(c.from, c.angle);
    EXPECT_NEAR(to.x, c.to.x, 2e-6);
    EXPECT_NEAR(to.y, c.to.y, 2e-6);
  }
  // It stays on its side, and may leave again.
  const Point stopped = m.moved({1, 0.3f}, -kNorth);
  EXPECT_GT(stopped.y, 0);
  EXPECT_EQ(m.moved(stopped, -kNorth).y, stopped.y);
  EXPECT_NEAR(m.moved(stopped, kNorth).y, 0.5, 1e-5);
  VdpTag open;
  open.barriers = false;
  EXPECT_NEAR(open.moved({1, 0.3f}, -kNorth).y, -0.2, 1e-6);
}

TEST(VdpTag, TagsAtTheEndOfAStepAndLooksCost) {
  const VdpTag m = still();
  // The target at (1, 1) goes to (0.4987, 1.1955).
  const State near{{0.4987f, 0.7f}, {1, 1}};
  EXPECT_EQ(step(m, near, {kNorth, 0}).reward, 100);
  EXPECT_TRUE(m.is_terminal(step(m, near, {kNorth, 0}).next));
  EXPECT_EQ(step(m, near, {kNorth, 1}).reward, 95);
  EXPECT_EQ(step(m, near, {kWest, 0}).reward, -1);
  EXPECT_EQ(step(m, near, {kWest, 0.5f}).reward, -6);
}

TEST(VdpTag, BeamsAreEighthsOfTheCircle) {
  EXPECT_EQ(VdpTag::active_beam({{0, 0}, {1, 0.1f}}), 0);
  EXPECT_EQ(VdpTag::active_beam({{0, 0}, {0.1f, 1}}), 1);
  EXPECT_EQ(VdpTag::active_beam({{0, 0}, {-0.1f, 1}}), 2);
  EXPECT_EQ(VdpTag::active_beam({{0, 0}, {-1, -0.1f}}), 4);
  EXPECT_EQ(VdpTag::active_beam({{0, 0}, {1, -0.1f}}), 7);
  EXPECT_EQ(VdpTag::active_beam({{0, 0}, {1, 0}}), 7);  // angles are in (0, 2 pi]
}

TEST(VdpTag, ALookMakesOneBeamSharp) {
  const VdpTag m = still();
  const State s{{0, 0}, {1, 1}};
  double squares[2] = {};
  for (int i = 0; i < 4000; ++i)
    for (int look : {0, 1}) {
      const auto out = step(m, s, {kEast, float(look)}, i);
      const double off = out.seen[VdpTag::active_beam(out.next)] - VdpTag::distance(out.next);
      squares[look] += off * off / 4000;
    }
  EXPECT_NEAR(std::sqrt(squares[0]), 5, 0.3);
  EXPECT_NEAR(std::sqrt(squares[1]), 0.1, 0.006);
}

TEST(VdpTag, TheUpperBoundKnowsWhatOneStepCanReach) {
  const VdpTag m;
  EXPECT_NEAR(m.mdp_value({{0.5f, 0.7f}, {1, 1}}), 100, 1e-6);  // the target comes within reach
  EXPECT_NEAR(m.mdp_value({{3, -3}, {1, 1}}), 94, 1e-6);
  EXPECT_EQ(m.mdp_value({{1, 1}, {1, 1.05f}}), 0);
}

TEST(VdpTag, ATableHasEveryDirectionWithoutAndWithALook) {
  const auto model = load_domain("vdp-tag(actions=10)");
  EXPECT_EQ(model->facts().num_actions, 20);
  EXPECT_EQ(model->facts().action_name(0), "go18");
  EXPECT_EQ(model->facts().action_name(19), "look342");
  EXPECT_EQ(load_domain("vdp-tag")->facts().num_actions, 0);
  EXPECT_THROW(load_domain("vdp-tag(actions=-1)"), Error);
  EXPECT_EQ(load_domain("vdp-tag(clusters=256)")->facts().num_actions, 0);
}

TEST(VdpTag, BeamsAreClusteredIntoBoxes) {
  const auto model = load_finite_domain("vdp-tag(actions=4)");
  EXPECT_EQ(model->facts().num_observations, 256);
  EXPECT_TRUE(model->has(Capability::kLikelihood));
}

// Published: random -66.8 +- 0.2, "manage uncertainty" -2.7 +- 1.2.
TEST(VdpTag, PoliciesScoreAsPublished) {
  const auto model = adapt(VdpTag{});
  ThreadPool pool(2);
  EvaluateOptions options;
  options.max_steps = 100;
  options.episodes = 2000;
  EXPECT_NEAR(evaluate(*model, RandomPolicy(*model), options, pool).mean, -66.8, 1.5);
  options.episodes = 100;
  EXPECT_GT(evaluate(*model, VdpTagExpert(VdpTag{}), options, pool).mean, -20);
}

}  // namespace
}  // namespace penumbra
