// T-maze: a corridor that ends in a junction. The first cell tells on which side of the junction
// the reward lies, and no other does: it has to be remembered all the way. docs/domains/t-maze.md.
#pragma once

#include <cmath>
#include <memory>

#include "penumbra/base/spec.h"
#include "penumbra/model/adapt.h"
#include "penumbra/model/model.h"

namespace penumbra {

struct TMaze {
  struct State {
    int32_t x;      // 0: before the corridor; length: the junction; -1: the end
    int32_t south;  // 1: the reward lies south of the junction
  };
  using Observation = int;
  enum Action { kNorth, kEast, kSouth, kWest };
  enum Seen { kSignNorth, kSignSouth, kCorridor, kJunction };

  std::string name = "t-maze";
  int length = 10;
  double discount = 0.98;
  float goal_reward = 4, penalty = -0.1f;

  Facts facts() const;
  State sample_initial(Rng& rng) const { return {0, rng.bernoulli(0.5)}; }
  bool is_terminal(const State& s) const { return s.x < 0; }
  int seen_at(const State& s) const {
    if (s.x == 1) return s.south ? kSignSouth : kSignNorth;
    return s.x == length ? kJunction : kCorridor;
  }
  Outcome<State, int> step(const State& s, int action, Rng&) const {
    if (s.x == length && (action == kNorth || action == kSouth))
      return {
          {-1, s.south}, kCorridor, (action == kSouth) == (s.south == 1) ? goal_reward : penalty};
    State next = s;
    if (action == kEast && s.x < length) ++next.x;
    if (action == kWest && s.x > 0) --next.x;
    return {next, seen_at(next), next.x == s.x ? penalty : 0.0f};
  }
  double likelihood(int seen, int, const State& next) const {
    return seen == (next.x < 0 ? int{kCorridor} : seen_at(next));
  }
  // Exact, for this reward: straight to the junction, and the right way.
  double mdp_value(const State& s) const {
    return s.x < 0 ? 0 : goal_reward * std::pow(discount, length - s.x);
  }
  FeatureLayout features() const { return {{length + 2, 2}, 0, 0}; }
  void encode(const State& s, FeatureRow row) const {
    row.category[0] = s.x + 1;
    row.category[1] = s.south;
  }
  Tabular table() const;
  int state_index(const State& s) const { return 2 * (s.x + 1) + s.south; }
  std::string describe_state(const State& s) const;
};
static_assert(Model<TMaze>);

std::unique_ptr<Pomdp> make_t_maze(Params& params);

}  // namespace penumbra
