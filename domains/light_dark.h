// LightDark1D: a robot on a line wants to stop within 1 of the origin. It moves by one and hears
// where it is with noise that grows with the distance from the light at 5: first go to the light,
// then to the goal. docs/domains/light-dark.md.
#pragma once

#include <array>
#include <cmath>
#include <memory>

#include "penumbra/base/spec.h"
#include "penumbra/model/adapt.h"
#include "penumbra/model/model.h"

namespace penumbra {

// What the problem on a line shares with the one in several dimensions (light_dark_space.h).
struct LightDarkRules {
  enum Action { kLeft, kStop, kRight };

  std::string name = "light-dark";
  double discount = 0.9;
  float step_size = 1, light = 5, noise_slope = 0.70710678f, noise_floor = 0.01f;
  float goal_radius = 1, goal_reward = 10, miss_penalty = -10;
  double start_mean = 2, start_deviation = 3;

  float deviation(float y) const { return std::abs(y - light) * noise_slope + noise_floor; }
  // Moves until a coordinate is inside the goal.
  double moves_to_goal(float y) const {
    const double outside = std::abs(y) - goal_radius;
    return outside < 0 ? 0 : std::floor(outside / step_size) + 1;
  }
};

struct LightDark : LightDarkRules {
  struct State {
    float y;
    int32_t stopped;
  };
  using Observation = float;

  Facts facts() const;
  State sample_initial(Rng& rng) const {
    return {static_cast<float>(rng.normal(start_mean, start_deviation)), 0};
  }
  bool is_terminal(const State& s) const { return s.stopped != 0; }
  Outcome<State, float> step(const State& s, int action, Rng& rng) const {
    State next = s;
    float reward = 0;
    if (action == kStop) {
      next.stopped = 1;
      reward = std::abs(s.y) < goal_radius ? goal_reward : miss_penalty;
    } else {
      next.y += static_cast<float>(action - kStop) * step_size;
    }
    const auto noise = static_cast<float>(rng.normal());
    return {next, next.y + deviation(next.y) * noise, reward};
  }
  double likelihood(float seen, int, const State& next) const {
    const double deviation_here = deviation(next.y), z = (seen - next.y) / deviation_here;
    return std::exp(-0.5 * z * z) / (deviation_here * 2.5066282746310002);
  }
  double cumulative(float bound, int, const State& next) const {
    return normal_cdf((double(bound) - next.y) / deviation(next.y));
  }
  // Exact: walk straight to the goal and stop.
  double mdp_value(const State& s) const {
    if (s.stopped) return 0;
    return std::max(0.0, goal_reward * std::pow(discount, moves_to_goal(s.y)));
  }

  // Values have steps at whole numbers, so bins a quarter wide stand beside the plain position.
  static constexpr int kBins = 128;
  FeatureLayout features() const { return {{kBins}, 0, 2}; }
  void encode(const State& s, FeatureRow row) const {
    const float bin = std::floor(s.y * 4) + kBins / 2;
    row.category[0] = static_cast<int>(std::clamp(bin, 0.0f, kBins - 1.0f));
    row.dense[0] = s.y / 5;
    row.dense[1] = deviation(s.y) / 5;
  }

  static constexpr int kNumCoordinates = 1;
  std::array<float, 1> coordinates(const State& s) const { return {s.y}; }
  State from_coordinates(std::array<float, 1> x) const { return {x[0], 0}; }

  State perturb(const State& s, Rng& rng) const {
    return {static_cast<float>(s.y + rng.normal(0, 0.1)), s.stopped};
  }
  Scene scene() const;
  void scene_values(const State& s, std::span<float> out) const {
    out[0] = s.y;
    out[1] = static_cast<float>(s.stopped);
  }
  std::string draw(const State& s) const;
  std::string describe_state(const State& s) const;
};
static_assert(Model<LightDark>);

std::unique_ptr<Pomdp> make_light_dark(Params& params);

}  // namespace penumbra
