// A small problem with a box of actions whose optimum is known. One of two points of a square is
// the mark. The first shot tells which, the second ends it; a shot costs five times its distance
// from the mark, added up over both coordinates. The best first shot is anywhere between the
// points, the best second one is the mark itself, which is no row of any table of actions.
#pragma once

#include <array>
#include <cmath>

#include "penumbra/model/adapt.h"

namespace penumbra {

struct Aim {
  struct State {
    int mark, shots;
  };
  struct Action {
    float x, y;
  };
  using Observation = int;

  static constexpr std::array<Action, 2> kMarks = {{{0.3127f, 0.6618f}, {0.7731f, 0.1193f}}};
  static constexpr double kDiscount = 0.95;
  static constexpr double kOptimum =
      1 - 5 * 0.5 * (0.7731 - 0.3127 + 0.6618 - 0.1193) + kDiscount * 1;

  Facts facts() const {
    return {.name = "aim",
            .discount = kDiscount,
            .num_observations = 2,
            .min_reward = -9,
            .max_reward = 1,
            .action_low = {0, 0},
            .action_high = {1, 1}};
  }
  State sample_initial(Rng& rng) const { return {rng.bernoulli(0.5), 0}; }
  bool is_terminal(const State& s) const { return s.shots == 2; }
  Outcome<State, Observation> step(const State& s, Action a, Rng&) const {
    const Action& mark = kMarks[s.mark];
    const float apart = std::abs(a.x - mark.x) + std::abs(a.y - mark.y);
    return {{s.mark, s.shots + 1}, s.mark, 1 - 5 * apart};
  }
  double likelihood(Observation seen, Action, const State& next) const {
    return seen == next.mark ? 1 : 0;
  }
  FeatureLayout features() const { return {{2, 3}, 0, 0}; }
  void encode(const State& s, FeatureRow row) const {
    row.category[0] = s.mark;
    row.category[1] = s.shots;
  }
};
static_assert(Model<Aim>);

// The same, but which mark it is is heard as a number with noise.
struct HeardAim {
  using State = Aim::State;
  using Action = Aim::Action;
  using Observation = float;
  static constexpr double kDeviation = 0.1;

  Facts facts() const {
    Facts f = aim.facts();
    f.name = "heard-aim";
    f.num_observations = 0;
    return f;
  }
  State sample_initial(Rng& rng) const { return aim.sample_initial(rng); }
  bool is_terminal(const State& s) const { return aim.is_terminal(s); }
  Outcome<State, Observation> step(const State& s, Action a, Rng& rng) const {
    const auto out = aim.step(s, a, rng);
    return {out.next, static_cast<float>(rng.normal(s.mark, kDeviation)), out.reward};
  }
  double likelihood(Observation seen, Action, const State& next) const {
    const double z = (seen - next.mark) / kDeviation;
    return std::exp(-0.5 * z * z);
  }
  FeatureLayout features() const { return aim.features(); }
  void encode(const State& s, FeatureRow row) const { aim.encode(s, row); }

  Aim aim;
};
static_assert(Model<HeardAim>);

}  // namespace penumbra
