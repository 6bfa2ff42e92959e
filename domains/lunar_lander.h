// lunar-lander: bring a lander down softly near the middle with three thrusters. It hears the
// distance to the ground along its own axis, its turning rate and its sideways speed; where it is
// to the side, how it leans and how fast it falls are to be inferred. States, actions and
// observations are continuous. docs/domains/lunar-lander.md has the definition and its source.
#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <string>

#include "penumbra/base/spec.h"
#include "penumbra/model/adapt.h"
#include "penumbra/model/model.h"

namespace penumbra {

struct LunarLander {
  struct State {
    float x, z;       // m: sideways from the middle, height
    float lean;       // rad, theta
    float vx, vz;     // m/s
    float turn_rate;  // rad/s, omega
  };
  struct Action {
    float side;    // F, the sideways thrust, in [-5, 5]
    float main;    // T, the main thrust, in [0, 15]
    float offset;  // d, where the sideways thrust acts, in [-1, 1]
  };
  using Observation = std::array<float, 3>;  // height / cos(lean), turn rate, sideways speed

  static constexpr float kMaxSide = 5, kMaxMain = 15, kGravity = 9, kInertia = 10;
  static constexpr float kGround = 1, kFarthest = 15, kMostLean = 0.5f;
  static constexpr float kCrash = -1000;  // the reward of one

  std::string name = "lunar-lander";
  double discount = 0.99;
  float dt = 0.4f;
  double speed_noise = 0.1, turn_noise = 0.01;        // deviations of a step
  std::array<double, 3> deviations = {1, 0.01, 0.1};  // of what is heard
  float step_cost = 1;

  static bool crashed(const State& s) {
    return std::abs(s.x) >= kFarthest || std::abs(s.lean) >= kMostLean;
  }
  // Without noise.
  State moved(const State& s, Action a) const;
  static Observation expected(const State& s) {
    return {s.z / std::cos(s.lean), s.turn_rate, s.vx};
  }

  Facts facts() const;
  State sample_initial(Rng& rng) const;
  bool is_terminal(const State& s) const { return crashed(s) || s.z <= kGround; }
  float reward(const State& next) const {
    if (crashed(next)) return kCrash;
    if (next.z > kGround) return -step_cost;
    return std::max(kCrash, 100 - std::abs(next.x) - next.vz * next.vz);
  }
  Outcome<State, Observation> step(const State& s, Action a, Rng& rng) const;
  double likelihood(const Observation& seen, Action a, const State& next) const;
  double cumulative(float bound, int coordinate, Action, const State& next) const {
    return normal_cdf((double(bound) - expected(next)[coordinate]) / deviations[coordinate]);
  }
  // An upper bound (proof at the definition).
  double mdp_value(const State& s) const;

  FeatureLayout features() const { return {{}, 0, 8}; }
  void encode(const State& s, FeatureRow row) const;
  State perturb(const State& s, Rng& rng) const;
  Scene scene() const;
  void scene_values(const State& s, std::span<float> out) const;
  std::string draw(const State& s) const;
  std::string describe_state(const State& s) const;
};
static_assert(Model<LunarLander>);

std::unique_ptr<Pomdp> make_lunar_lander(Params& params);

}  // namespace penumbra
