// The problem: a robot in a corridor does not know where it is. It wants to stop at the charger; a
// sensor tells whether the charger is near, though not reliably. Replace it by your own.
#pragma once

#include <penumbra/penumbra.h>

#include <algorithm>
#include <cstdlib>

struct MyProblem {
  struct State {
    int cell;
    int stopped;
  };
  using Observation = int;  // 0: far, 1: near
  enum Action { kLeft, kRight, kStop };

  int length = 9;
  double noise = 0.1;

  MyProblem() = default;
  // What the command line may set: penumbra solve 'my_problem.cpp(length=15)'
  explicit MyProblem(penumbra::Params& p)
      : length(p.integer("length", 9, 3, 1000, "cells of the corridor")),
        noise(p.real("noise", 0.1, 0, 0.5, "how often the sensor is wrong")) {}

  penumbra::Facts facts() const {
    return {.name = "my-problem",
            .discount = 0.95,
            .num_actions = 3,
            .num_observations = 2,
            .min_reward = -10,
            .max_reward = 10,
            .action_names = {"left", "right", "stop"},
            .observation_names = {"far", "near"}};
  }
  State sample_initial(penumbra::Rng& rng) const {
    return {static_cast<int>(rng.below(static_cast<uint32_t>(length))), 0};
  }
  bool is_terminal(const State& s) const { return s.stopped; }
  penumbra::Outcome<State, int> step(const State& s, int action, penumbra::Rng& rng) const {
    State next = s;
    if (action == kStop) {
      next.stopped = 1;
      return {next, 0, s.cell == charger() ? 10.f : -10.f};
    }
    next.cell = std::clamp(s.cell + (action == kRight ? 1 : -1), 0, length - 1);
    return {next, rng.bernoulli(near_probability(next)), -0.1f};
  }

  // Optional, and worth having: filters weigh with it.
  double likelihood(int seen, int action, const State& next) const {
    const double p = action == kStop ? 0 : near_probability(next);
    return seen ? p : 1 - p;
  }
  // Optional: what networks see of a state.
  penumbra::FeatureLayout features() const { return {.categories = {length, 2}}; }
  void encode(const State& s, penumbra::FeatureRow row) const {
    row.category[0] = s.cell;
    row.category[1] = s.stopped;
  }
  std::string describe_state(const State& s) const { return "cell " + std::to_string(s.cell); }

 private:
  int charger() const { return length / 3; }
  double near_probability(const State& s) const {
    return std::abs(s.cell - charger()) <= 1 ? 1 - noise : noise;
  }
};
static_assert(penumbra::Model<MyProblem>);  // a missing or misspelt function shows up here
