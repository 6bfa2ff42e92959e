// rover: a robot drives through a row of rooms and may pick up a stone in each before it leaves by
// the last door. It knows the room and feels walls, but neither sees where in the room it is nor
// which stones are worth it; a check tells the more the closer the stone is. A small problem that
// mixes a category (the room), bits (the stones) and coordinates. docs/domains/rover.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "penumbra/base/spec.h"
#include "penumbra/model/adapt.h"
#include "penumbra/model/model.h"

namespace penumbra {

struct Rover {
  static constexpr int kMostRooms = 6;
  struct State {
    float x, y;     // in the room, from its south-west corner
    int16_t room;   // from 0, in the west; num_rooms: it has left
    uint16_t good;  // bit r: the stone of room r is there and good
  };
  using Observation = int;  // 2 * room + contact, then bad, good
  enum Action { kNorth, kEast, kSouth, kWest, kCheck, kPick };
  struct Point {
    float x, y;
  };

  static constexpr float kSide = 4;      // of a room
  static constexpr float kDoorHalf = 1;  // a door is in the middle of a wall, twice this wide
  static constexpr float kReach = 1;     // how far away a stone can be picked up
  // Of the stone of each room.
  static constexpr Point kStones[kMostRooms] = {{1, 3.5f}, {3, 0.5f},    {2, 3.5f},
                                                {1, 0.5f}, {3.5f, 3.5f}, {0.5f, 1}};

  std::string name = "rover";
  int num_rooms = 3;
  double discount = 0.95, noise = 0.2, half_distance = 1, prior_good = 0.5;
  float good_reward = 10, bad_reward = -10, exit_reward = 10, empty_reward = -1;

  int seen_bad() const { return 2 * num_rooms; }
  int seen_good() const { return 2 * num_rooms + 1; }
  static double distance(const State& s) {
    const Point& stone = kStones[std::min<int>(s.room, kMostRooms - 1)];
    return std::hypot(s.x - stone.x, s.y - stone.y);
  }
  double accuracy(const State& s) const {
    return 0.5 + 0.5 * std::exp2(-distance(s) / half_distance);
  }
  static bool touches(const State& s) {
    return s.x == 0 || s.x == kSide || s.y == 0 || s.y == kSide;
  }
  int place_seen(const State& s) const { return s.room < num_rooms ? 2 * s.room + touches(s) : 0; }

  Facts facts() const;
  State sample_initial(Rng& rng) const;
  bool is_terminal(const State& s) const { return s.room >= num_rooms; }
  Outcome<State, int> step(const State& s, int action, Rng& rng) const;
  double likelihood(int seen, int action, const State& next) const;

  double mdp_value(const State& s) const;

  FeatureLayout features() const { return {{num_rooms + 1}, num_rooms, 3}; }
  void encode(const State& s, FeatureRow row) const;
  State perturb(const State& s, Rng& rng) const;
  Scene scene() const;
  void scene_values(const State& s, std::span<float> out) const;
  std::string describe_state(const State& s) const;
};
static_assert(Model<Rover>);

std::unique_ptr<Pomdp> make_rover(Params& params);

}  // namespace penumbra
