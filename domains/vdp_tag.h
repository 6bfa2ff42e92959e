// vdp-tag: an agent that is known to itself chases a target that is carried around by the Van der
// Pol oscillator. Eight noisy beams hint at where the target is; an expensive look makes the one
// that hits it sharp. Four barriers stop the agent but not the target. State, actions and
// observations are continuous. docs/domains/vdp-tag.md has the definition and its source.
#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>

#include "penumbra/base/spec.h"
#include "penumbra/model/adapt.h"
#include "penumbra/model/model.h"

namespace penumbra {

struct VdpTag {
  struct Point {
    float x, y;
  };
  struct State {
    Point agent, target;
  };
  struct Action {
    float angle;  // rad, 0 is east, anticlockwise
    float look;   // 0.5 or more: with a look
    bool looks() const { return look >= 0.5f; }
  };
  static constexpr int kBeams = 8;
  using Observation = std::array<float, kBeams>;  // distances, one for each eighth of the circle

  static constexpr float kMu = 2;              // of the oscillator
  static constexpr float kBarrierFrom = 0.2f;  // along both axes, on both sides of the origin
  static constexpr float kBarrierTo = 3;
  static constexpr float kStartHalf = 4;  // of the square in which the target begins
  static constexpr float kTurn = 2 * std::numbers::pi_v<float>;

  std::string name = "vdp-tag";
  double discount = 0.95;
  float step_size = 0.5f, tag_radius = 0.1f;
  double drift = 0.05;  // deviation of the target's move, each way
  double look_deviation = 0.1, beam_deviation = 5;
  float tag_reward = 100, step_cost = 1, look_cost = 5;
  bool barriers = true;

  static float distance(const State& s) {
    return std::hypot(s.target.x - s.agent.x, s.target.y - s.agent.y);
  }
  // Where the target is half a second later, without noise.
  static Point carried(Point target);
  Point moved(Point agent, float angle) const;
  // The beam that hits the target, from 0.
  static int active_beam(const State& s);
  double deviation(int beam, const Action& a, const State& next) const {
    return a.looks() && beam == active_beam(next) ? look_deviation : beam_deviation;
  }
  static double expected(int beam, const State& next) {
    return beam == active_beam(next) ? distance(next) : 1;
  }

  Facts facts() const;
  State sample_initial(Rng& rng) const;
  bool is_terminal(const State& s) const { return distance(s) < tag_radius; }
  Outcome<State, Observation> step(const State& s, Action a, Rng& rng) const;
  double likelihood(const Observation& seen, Action a, const State& next) const;
  double cumulative(float bound, int beam, Action a, const State& next) const {
    return normal_cdf((double(bound) - expected(beam, next)) / deviation(beam, a, next));
  }
  // An upper bound (why is said at the definition).
  double mdp_value(const State& s) const;

  // Agent, target, where it will be, and the way there.
  FeatureLayout features() const { return {{}, 0, 9}; }
  void encode(const State& s, FeatureRow row) const;
  State perturb(const State& s, Rng& rng) const;
  Scene scene() const;
  void scene_values(const State& s, std::span<float> out) const;
  std::string draw(const State& s) const;
  std::string describe_state(const State& s) const;
};
static_assert(Model<VdpTag>);

std::unique_ptr<Pomdp> make_vdp_tag(Params& params);

}  // namespace penumbra
