// Small models that the tests of this folder share.
#pragma once

#include <array>
#include <cmath>

#include "penumbra/model/adapt.h"

namespace penumbra::testing_models {

// A walk on 0 ... 4 that ends at 4; a record with padding. Hears its place, or one less, noisily.
struct Padded {
  struct State {
    double place;
    int8_t steps;  // seven bytes of padding follow
  };
  struct Observation {
    float heard;
  };
  Facts facts() const {
    return {.name = "padded", .discount = 0.9, .num_actions = 2, .min_reward = -1, .max_reward = 5};
  }
  State sample_initial(Rng& rng) const { return dirty(std::floor(rng.uniform() * 3), 0); }
  bool is_terminal(const State& s) const { return s.place >= 4; }
  Outcome<State, Observation> step(const State& s, int action, Rng& rng) const {
    const double place = std::max(0.0, s.place + (action ? 1 : -1));
    const State next = dirty(place, static_cast<int8_t>(s.steps + 1));
    return {next, {static_cast<float>(place + rng.normal())}, place >= 4 ? 5.0f : -1.0f};
  }
  // A state whose padding holds rubbish, as a user's stack does.
  static State dirty(double place, int8_t steps) {
    State s;
    std::memset(static_cast<void*>(&s), 0x5a, sizeof s);
    s.place = place;
    s.steps = steps;
    return s;
  }
};
static_assert(Model<Padded>);

// A car on a line with a continuous push; a second, constant value in the observation.
struct Car {
  struct State {
    float x;
  };
  struct Action {
    float push, unused;
  };
  struct Observation {
    float x, one;
  };
  Facts facts() const {
    return {.name = "car",
            .discount = 0.9,
            .min_reward = -10,
            .max_reward = 0,
            .action_low = {-1, 0},
            .action_high = {1, 1}};
  }
  State sample_initial(Rng& rng) const { return {static_cast<float>(rng.normal())}; }
  bool is_terminal(const State&) const { return false; }
  Outcome<State, Observation> step(const State& s, Action a, Rng& rng) const {
    const State next{s.x + a.push};
    return {next,
            {next.x + static_cast<float>(rng.normal(0, 0.1)), 1},
            -std::min(10.0f, std::abs(next.x))};
  }
};
static_assert(Model<Car>);

}  // namespace penumbra::testing_models
