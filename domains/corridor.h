// corridor: a robot somewhere in a long dark corridor must find a door that it cannot see. It
// feels nothing but the walls at both ends, so it must go to one of them and count its steps from
// there. A problem of long strides: see its macro-actions.
#pragma once

#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "penumbra/base/spec.h"
#include "penumbra/model/adapt.h"
#include "penumbra/model/macro_action.h"
#include "penumbra/model/model.h"

namespace penumbra {

struct Corridor {
  struct State {
    int16_t x;     // from 0, in the west
    int16_t done;  // 1: it has tried to open a door
  };
  using Observation = int;
  enum Seen { kNothing, kWestWall, kEastWall };
  enum Action { kWest, kEast, kOpen };

  std::string name = "corridor";
  int n = 40, door = 10;
  double slip = 0, discount = 0.98;
  float door_reward = 10, wall_penalty = -10;

  Facts facts() const;
  State sample_initial(Rng& rng) const {
    return {static_cast<int16_t>(rng.below(static_cast<uint32_t>(n))), 0};
  }
  bool is_terminal(const State& s) const { return s.done != 0; }
  Outcome<State, int> step(const State& s, int action, Rng& rng) const {
    const bool slips = rng.bernoulli(slip);
    if (action == kOpen) {
      const State next{s.x, 1};
      return {next, seen_at(next), s.x == door ? door_reward : wall_penalty};
    }
    State next = s;
    if (!slips) next.x = moved(s.x, action);
    return {next, seen_at(next), 0};
  }
  double likelihood(int seen, int, const State& next) const { return seen == seen_at(next); }
  // Walks straight there; slips only make it later.
  double mdp_value(const State& s) const {
    return s.done ? 0 : door_reward * std::pow(discount, std::abs(s.x - door));
  }

  FeatureLayout features() const { return {{n}, 0, 1}; }
  void encode(const State& s, FeatureRow row) const {
    row.category[0] = s.x;
    row.dense[0] = static_cast<float>(s.x) / static_cast<float>(n);
  }
  Tabular table() const;
  int state_index(const State& s) const { return s.done ? n : s.x; }
  std::string describe_state(const State& s) const;

  int seen_at(const State& s) const {
    return s.done ? kNothing : s.x == 0 ? kWestWall : s.x == n - 1 ? kEastWall : kNothing;
  }
  int16_t moved(int x, int action) const {
    const int to = x + (action == kEast ? 1 : -1);
    return static_cast<int16_t>(to < 0 ? 0 : to >= n ? n - 1 : to);
  }
};
static_assert(Model<Corridor>);

std::unique_ptr<Pomdp> make_corridor(Params& params);
// Go to a wall, however far; several steps in a row.
std::vector<MacroAction> corridor_macro_actions(const Facts& facts);

}  // namespace penumbra
