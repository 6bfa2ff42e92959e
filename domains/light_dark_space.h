// Light-dark in several dimensions: every coordinate moves and counts, and there is one light, at
// one value of the first coordinate. The noise of all coordinates grows with the distance of the
// first one from it, as in the plane of Platt, Tedrake, Kaelbling and Lozano-Perez (2010).
// docs/domains/light-dark.md.
#pragma once

#include <fmt/format.h>

#include "domains/light_dark.h"

namespace penumbra {

// With `kMoved` only the coordinate that was moved is heard, a scalar; otherwise all of them.
template <int kDimensions, bool kMoved>
struct LightDarkSpace : LightDarkRules {
  using Vector = std::array<float, kDimensions>;
  struct State {
    Vector x;
    int32_t stopped;
  };
  using Observation = std::conditional_t<kMoved, float, Vector>;

  double side_deviation = 1.5;

  // Actions: left, stop and right as on a line, then down and up for every further coordinate.
  static int moved_coordinate(int action) { return action < 3 ? 0 : (action - 1) / 2; }
  static float direction(int action) {
    return action == kStop ? 0 : action < 3 ? float(action - kStop) : action % 2 ? -1.0f : 1.0f;
  }

  Facts facts() const {
    Facts f;
    f.name = name;
    f.discount = discount;
    f.num_actions = 1 + 2 * kDimensions;
    f.action_names = {"left", "stop", "right"};
    for (int d = 2; d <= kDimensions; ++d) {
      f.action_names.push_back(fmt::format("down{}", d));
      f.action_names.push_back(fmt::format("up{}", d));
    }
    f.min_reward = std::min(0.0f, miss_penalty);
    f.max_reward = std::max(0.0f, goal_reward);
    return f;
  }
  State sample_initial(Rng& rng) const {
    State s{};
    s.x[0] = static_cast<float>(rng.normal(start_mean, start_deviation));
    for (int d = 1; d < kDimensions; ++d)
      s.x[d] = static_cast<float>(rng.normal(0, side_deviation));
    return s;
  }
  bool is_terminal(const State& s) const { return s.stopped != 0; }
  bool at_goal(const State& s) const {
    for (float x : s.x)
      if (!(std::abs(x) < goal_radius)) return false;
    return true;
  }
  Outcome<State, Observation> step(const State& s, int action, Rng& rng) const {
    State next = s;
    float reward = 0;
    if (action == kStop) {
      next.stopped = 1;
      reward = at_goal(s) ? goal_reward : miss_penalty;
    } else {
      next.x[moved_coordinate(action)] += direction(action) * step_size;
    }
    const float here = deviation(next.x[0]);
    auto heard = [&](float x) { return x + here * static_cast<float>(rng.normal()); };
    if constexpr (kMoved) {
      return {next, heard(next.x[moved_coordinate(action)]), reward};
    } else {
      Vector seen;
      for (int d = 0; d < kDimensions; ++d) seen[d] = heard(next.x[d]);
      return {next, seen, reward};
    }
  }
  double likelihood(const Observation& seen, int action, const State& next) const {
    const double here = deviation(next.x[0]);
    auto density = [&](float heard, float x) {
      const double z = (heard - x) / here;
      return std::exp(-0.5 * z * z) / (here * 2.5066282746310002);
    };
    if constexpr (kMoved) {
      return density(seen, next.x[moved_coordinate(action)]);
    } else {
      double product = 1;
      for (int d = 0; d < kDimensions; ++d) product *= density(seen[d], next.x[d]);
      return product;
    }
  }
  double cumulative(float bound, int coordinate, int action, const State& next) const {
    const float x = next.x[kMoved ? moved_coordinate(action) : coordinate];
    return normal_cdf((double(bound) - x) / deviation(next.x[0]));
  }
  // Exact: walk straight to the goal, one coordinate after the other, and stop.
  double mdp_value(const State& s) const {
    if (s.stopped) return 0;
    double moves = 0;
    for (float x : s.x) moves += moves_to_goal(x);
    return std::max(0.0, goal_reward * std::pow(discount, moves));
  }

  // As on a line: bins a quarter wide beside every coordinate, because values jump.
  static constexpr int kBins = LightDark::kBins;
  FeatureLayout features() const {
    return {std::vector<int>(kDimensions, kBins), 0, kDimensions + 1};
  }
  void encode(const State& s, FeatureRow row) const {
    for (int d = 0; d < kDimensions; ++d) {
      const float bin = std::floor(s.x[d] * 4) + kBins / 2;
      row.category[d] = static_cast<int>(std::clamp(bin, 0.0f, kBins - 1.0f));
      row.dense[d] = s.x[d] / 5;
    }
    row.dense[kDimensions] = deviation(s.x[0]) / 5;
  }

  static constexpr int kNumCoordinates = kDimensions;
  Vector coordinates(const State& s) const { return s.x; }
  State from_coordinates(Vector x) const { return {x, 0}; }

  State perturb(const State& s, Rng& rng) const {
    State moved = s;
    for (float& x : moved.x) x += static_cast<float>(rng.normal(0, 0.1));
    return moved;
  }
  std::string describe_state(const State& s) const {
    return fmt::format("x = ({:.3f}){}", fmt::join(s.x, ", "), s.stopped ? ", stopped" : "");
  }
};

}  // namespace penumbra
