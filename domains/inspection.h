// inspection: a robot with a battery drives through a small building, finds out which of the places
// that it was sent to are faulty, reports those, and must be back at its dock in time. It sees
// neither its pose nor its battery, nor which doors are open until it stands before them. A problem
// of the size of a tutorial with what real ones have: a pose, a resource, categories, information
// that costs. docs/domains/inspection.md.
#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <span>
#include <string>

#include "penumbra/base/spec.h"
#include "penumbra/model/adapt.h"
#include "penumbra/model/model.h"

namespace penumbra {

struct Inspection {
  static constexpr int kRooms = 3;
  struct Point {
    float x, y;
  };
  struct Wall {
    Point from, to;  // level or upright
  };
  struct State {
    float x, y;      // m
    float heading;   // rad in (-pi, pi], 0 is east, anticlockwise
    float battery;   // what is left
    uint8_t open;    // bit r: the door of room r
    uint8_t faulty;  // bit r: the place in room r is faulty and not reported
    uint8_t ended;   // docked, or the battery is empty
  };
  struct Observation {
    float range;   // ahead, to a wall or a closed door
    float signal;  // after a look: of the place, otherwise the distance to the dock
  };
  enum Action { kForward, kLeft, kRight, kLook, kReport, kDock };

  // Three rooms, each 3 m wide, above a corridor. A door leads from the corridor into each, and
  // passages that are always open lead from room to room.
  static constexpr float kWidth = 9, kHeight = 5, kCorridor = 2, kRoomWidth = 3;
  static constexpr Point kDockAt = {0.5f, 1};
  static constexpr Point place(int room) { return {1.5f + kRoomWidth * room, 4.5f}; }
  static constexpr Point door(int room) { return {1.5f + kRoomWidth * room, kCorridor}; }
  static constexpr float kDoorHalf = 0.5f;
  static constexpr float kReach = 1;                             // of reports and the dock
  static constexpr float kTurn = std::numbers::pi_v<float> / 4;  // of one turn
  static constexpr float kShortest = 0.8f, kClearance = 0.1f;    // of a drive; to any wall
  static constexpr float kIdle = 0.25f;  // battery for everything but driving, which takes 1

  std::string name = "inspection";
  double discount = 0.98, prior_open = 0.7, prior_faulty = 0.5;
  float battery = 30;  // the least at the start; at most a quarter more
  double turn_noise = 0.05, drain_noise = 0.1;
  double range_deviation = 0.1, beacon_deviation = 0.3, look_deviation = 0.5;
  float found_reward = 10, false_reward = -10, dock_reward = 0, empty_reward = -20;

  static float distance(const State& s, Point p) { return std::hypot(s.x - p.x, s.y - p.y); }
  static int nearest_place(const State& s);
  // From p along the heading to the nearest wall or closed door.
  static float free_way(Point p, float heading, unsigned open);
  // What is expected of the two parts of an observation, and how exactly they are heard.
  struct Heard {
    double mean, deviation;
  };
  Heard range(const State& next) const {
    return {free_way({next.x, next.y}, next.heading, next.open), range_deviation};
  }
  Heard signal(int action, const State& next) const;

  Facts facts() const;
  State sample_initial(Rng& rng) const;
  bool is_terminal(const State& s) const { return s.ended != 0; }
  Outcome<State, Observation> step(const State& s, int action, Rng& rng) const;
  double likelihood(const Observation& seen, int action, const State& next) const;
  double cumulative(float bound, int coordinate, int action, const State& next) const;
  // An upper bound (why is said at the definition).
  double mdp_value(const State& s) const;

  FeatureLayout features() const { return {{kRooms + 1, 8}, 2 * kRooms, 7}; }
  void encode(const State& s, FeatureRow row) const;
  State perturb(const State& s, Rng& rng) const;
  Scene scene() const;
  void scene_values(const State& s, std::span<float> out) const;
  std::string draw(const State& s) const;
  std::string describe_state(const State& s) const;
};
static_assert(Model<Inspection>);

std::unique_ptr<Pomdp> make_inspection(Params& params);

}  // namespace penumbra
