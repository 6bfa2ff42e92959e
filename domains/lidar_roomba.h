// lidar-roomba: a disc-shaped robot in an L-shaped room knows neither where it is nor which way it
// faces, and must find the goal wall without falling down the stairs. It senses either the distance
// straight ahead (LidarRoomba) or whether it touches a wall (BumperRoomba). Everything is known
// exactly but the start and the lidar noise. docs/domains/lidar-roomba.md has the definition and
// where it departs from the original.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <string>

#include "penumbra/base/spec.h"
#include "penumbra/model/model.h"
#include "penumbra/model/pomdp.h"

namespace penumbra {

struct RoombaOptions {
  std::string name = "lidar-roomba";
  int config = 3;                // where goal and stairs are: 1, 2 or 3
  float v_max = 5;               // m/s
  float om_max = 1;              // rad/s
  float dt = 0.5f;               // s, one step
  float goal_reward = 10;        // on touching the goal wall
  float stairs_penalty = 10;     // on touching the stairs wall
  float contact_penalty = 1;     // on coming into contact with any wall
  float time_penalty = 0.1f;     // every step
  double discount = 0.95;        // gamma
  double ray_stdev = 0.1;        // of the lidar, as a share of the distance
  bool terminal_contact = true;  // is contact charged on the step that ends at goal or stairs?
  bool quirks = false;           // the original's collision rules, see drive_as_original
  bool rich_features = true;     // otherwise the raw state
  float jitter = 0.2f;           // m, standard deviation of perturb() along each axis
  float jitter_heading = 0.05f;  // rad
};

// The room and the robot: everything but the sensor.
//
//   (-25,5) +----------------------------------+ (15,5)
//           |                                  |
//           |          +-----------------------+ (15,-5)
//           |          | (-15,-5)
//  (-25,-20)+----------+ (-15,-20)
class Roomba {
 public:
  struct State {
    float x, y;      // m, the centre
    float theta;     // rad in (-pi, pi], 0 is east, anticlockwise
    int32_t status;  // +1 at the goal, -1 down the stairs, else 0
    bool operator==(const State&) const = default;
  };
  struct Action {
    float v;      // m/s, ahead, clamped to [0, v_max]
    float omega;  // rad/s, positive is left, clamped to [-om_max, om_max]
  };
  struct Point {
    float x, y;
  };

  static constexpr float kRadius = 0.5f;
  static constexpr float kLeft = -25, kRight = 15, kBottom = -20, kTop = 5;
  static constexpr float kCornerX = -15, kCornerY = -5;  // the corner that juts into the room
  // What counts as touching. States are floats: a hundred times their rounding, a tenth of a mm.
  static constexpr float kTouch = 1e-4f;
  static constexpr float kPi = std::numbers::pi_v<float>;

  explicit Roomba(RoombaOptions options);
  const RoombaOptions& options() const { return options_; }

  State sample_initial(Rng& rng) const;
  bool is_terminal(const State& s) const { return s.status != 0; }

  // The robot turns first, then drives along its new heading.
  struct Motion {
    State next;
    Point heading;
    float reward;
  };
  Motion move(const State& s, Action a) const {
    const float omega = std::clamp(a.omega, -options_.om_max, options_.om_max);
    const float theta = wrap(s.theta + omega * options_.dt);
    const Point heading{std::cos(theta), std::sin(theta)};
    const float distance = std::clamp(a.v, 0.0f, options_.v_max) * options_.dt;
    const Point p = distance > 0 ? drive({s.x, s.y}, heading, distance) : Point{s.x, s.y};
    const int status = touched_status(p);
    float reward = -options_.time_penalty;
    if ((status == 0 || options_.terminal_contact) && touches(p) && !touches({s.x, s.y}))
      reward -= options_.contact_penalty;
    if (status > 0) reward += options_.goal_reward;
    if (status < 0) reward -= options_.stairs_penalty;
    return {{p.x, p.y, theta, status}, heading, reward};
  }

  // Where the disc at p comes to rest that drives up to `distance` along `heading`.
  Point drive(Point p, Point heading, float distance) const {
    return options_.quirks ? drive_as_original(p, heading, distance)
                           : drive_until_touch(p, heading, distance);
  }
  // Does the disc at p touch a wall?
  bool touches(Point p) const {
    if (options_.quirks) return touches_as_original(p);
    return p.x <= kMinX + kTouch || p.x >= kMaxX - kTouch || p.y <= kMinY + kTouch ||
           p.y >= kMaxY - kTouch || clearance_squared(p) <= square(kRadius + kTouch);
  }
  // Can the disc be at p without reaching into a wall?
  bool is_free(Point p) const {
    return p.x >= kMinX - kTouch && p.x <= kMaxX + kTouch && p.y >= kMinY - kTouch &&
           p.y <= kMaxY + kTouch && clearance_squared(p) >= square(kRadius - kTouch);
  }
  // From the centre along the heading to the nearest wall.
  static float ray_length(Point p, Point heading) {
    const auto [hx, hy] = heading;
    float t = std::min((hx > 0 ? kRight - p.x : p.x - kLeft) / std::abs(hx),
                       (hy > 0 ? kTop - p.y : p.y - kBottom) / std::abs(hy));
    if (hx > 0 && p.x <= kCornerX) {
      const float wall = (kCornerX - p.x) / hx;
      if (p.y + wall * hy <= kCornerY) t = std::min(t, wall);
    }
    if (hy < 0 && p.y >= kCornerY) {
      const float wall = (kCornerY - p.y) / hy;
      if (p.x + wall * hx >= kCornerX) t = std::min(t, wall);
    }
    return t;
  }
  float ray_length(const State& s) const {
    return ray_length({s.x, s.y}, {std::cos(s.theta), std::sin(s.theta)});
  }
  // A lower bound on the way from p to touching the goal, exact for a robot with no width.
  float goal_distance(Point p) const;
  // An upper bound on the value of a state (proof at the definition).
  double mdp_value(const State& s) const;

  // A short drive in a random direction, so that robots at a wall tend to stay there.
  State perturb(const State& s, Rng& rng) const;
  FeatureLayout features() const;
  void encode(const State& s, FeatureRow row) const;

  static constexpr int kNumCoordinates = 3;
  std::array<float, 3> coordinates(const State& s) const { return {s.x, s.y, s.theta}; }
  // The nearest place in the room that is at neither goal nor stairs.
  State from_coordinates(std::array<float, 3> values) const;

  Scene scene() const;
  void scene_values(const State& s, std::span<float> out) const;
  std::string draw(const State& s) const;
  std::string describe_state(const State& s) const;

 protected:
  Facts common_facts() const;

 private:
  // The limits of the centre.
  static constexpr float kMinX = kLeft + kRadius, kMaxX = kRight - kRadius;
  static constexpr float kMinY = kBottom + kRadius, kMaxY = kTop - kRadius;
  static constexpr float kBlockX = kCornerX - kRadius, kBlockY = kCornerY + kRadius;

  // The centres at which a wall segment is touched; goal and stairs are whole segments.
  struct Zone {
    float min_x, max_x, min_y, max_y;
    bool contains(Point p) const {
      return p.x >= min_x && p.x <= max_x && p.y >= min_y && p.y <= max_y;
    }
  };

  static constexpr float square(float x) { return x * x; }
  static float wrap(float theta) {  // for |theta| <= 3 pi
    return theta > kPi ? theta - 2 * kPi : theta <= -kPi ? theta + 2 * kPi : theta;
  }
  // The squared distance to the block below the corridor, x > -15 and y < -5.
  static float clearance_squared(Point p) {
    return square(std::max(kCornerX - p.x, 0.0f)) + square(std::max(p.y - kCornerY, 0.0f));
  }
  // The stairs win where both are touched.
  int touched_status(Point p) const {
    if (options_.quirks) return status_as_original(p);
    return stairs_.contains(p) ? -1 : goal_.contains(p) ? 1 : 0;
  }

  // Exact: the centre moves in the room shrunk by the radius. A path that would cut less than
  // kTouch into a wall is not stopped, so that driving along a wall is possible.
  static Point drive_until_touch(Point p, Point heading, float distance) {
    const auto [hx, hy] = heading;
    const float end_x = p.x + distance * hx, end_y = p.y + distance * hy;
    float t = distance;
    if (end_x > kMaxX + kTouch) t = std::min(t, (kMaxX - p.x) / hx);
    if (end_x < kMinX - kTouch) t = std::min(t, (kMinX - p.x) / hx);
    if (end_y > kMaxY + kTouch) t = std::min(t, (kMaxY - p.y) / hy);
    if (end_y < kMinY - kTouch) t = std::min(t, (kMinY - p.y) / hy);
    if (std::max(p.x, end_x) > kBlockX + kTouch && std::min(p.y, end_y) < kBlockY - kTouch)
      t = std::min(t, distance_to_block(p, heading, end_x, end_y));
    t = std::max(t, 0.0f);
    return {std::clamp(p.x + t * hx, kMinX, kMaxX), std::clamp(p.y + t * hy, kMinY, kMaxY)};
  }
  // The block grown by the radius is convex: it is entered through its left face, its top face or
  // its round corner, whichever comes first.
  static float distance_to_block(Point p, Point heading, float end_x, float end_y) {
    const auto [hx, hy] = heading;
    float t = HUGE_VALF;
    if (p.x <= kBlockX + 2 * kTouch && end_x > kBlockX + kTouch) {
      const float left = (kBlockX - p.x) / hx;
      if (p.y + left * hy <= kCornerY) t = left;
    }
    if (p.y >= kBlockY - 2 * kTouch && end_y < kBlockY - kTouch) {
      const float top = (kBlockY - p.y) / hy;
      if (p.x + top * hx >= kCornerX) t = std::min(t, top);
    }
    const float dx = kCornerX - p.x, dy = kCornerY - p.y;
    const float along = dx * hx + dy * hy, across = dx * hy - dy * hx;
    if (along > 0 && std::abs(across) < kRadius - kTouch)
      t = std::min(t, along - std::sqrt(square(kRadius) - square(across)));
    return t;
  }

  // quirks=true, in lidar_roomba.cpp.
  Point drive_as_original(Point p, Point heading, float distance) const;
  bool touches_as_original(Point p) const;
  int status_as_original(Point p) const;

  int fewest_steps_to_goal(const State& s) const;

  RoombaOptions options_;
  Zone goal_, stairs_;
};

// Sees the distance ahead, o ~ N(l, (ray_stdev * max(l, 1 cm))^2) given o >= 0.
struct LidarRoomba : Roomba {
  using Observation = float;

  explicit LidarRoomba(RoombaOptions options);
  Facts facts() const { return common_facts(); }
  Outcome<State, Observation> step(const State& s, Action a, Rng& rng) const {
    const Motion m = move(s, a);
    const double ray = ray_length({m.next.x, m.next.y}, m.heading);
    return {m.next, sample_ray(ray, rng), m.reward};
  }
  double likelihood(Observation o, Action, const State& next) const {
    if (!(o >= 0)) return 0;
    const double ray = ray_length(next), deviation = ray_deviation(ray);
    const double z = (o - ray) / deviation;
    constexpr double kDensityAtZero = 0.39894228040143267794;  // 1 / sqrt(2 pi)
    return kDensityAtZero * std::exp(-0.5 * z * z) / (deviation * (1 - mass_below_zero(ray)));
  }
  double cumulative(float o, Action, const State& next) const {
    if (!(o > 0)) return 0;
    const double ray = ray_length(next), below = mass_below_zero(ray);
    return (normal_cdf((o - ray) / ray_deviation(ray)) - below) / (1 - below);
  }

 private:
  static constexpr double kShortestRay = 0.01;  // m, keeps the noise positive

  double ray_deviation(double ray) const {
    return options().ray_stdev * std::max(ray, kShortestRay);
  }
  // The share of the normal that is cut off: the same for all rays but the very shortest.
  double mass_below_zero(double ray) const {
    return ray >= kShortestRay ? mass_below_zero_ : normal_cdf(-ray / ray_deviation(ray));
  }
  float sample_ray(double ray, Rng& rng) const {
    const double below = mass_below_zero(ray), u = (rng.bits32() + 0.5) * 0x1p-32;
    const double z = normal_quantile(below + u * (1 - below));
    return static_cast<float>(std::max(ray + ray_deviation(ray) * z, 0.0));
  }

  double mass_below_zero_;
};
static_assert(Model<LidarRoomba>);

// Sees whether it touches a wall: 0 or 1, without noise.
struct BumperRoomba : Roomba {
  using Observation = int;

  explicit BumperRoomba(RoombaOptions options) : Roomba(std::move(options)) {}
  Facts facts() const;
  Outcome<State, Observation> step(const State& s, Action a, Rng&) const {
    const Motion m = move(s, a);
    return {m.next, touches({m.next.x, m.next.y}), m.reward};
  }
  double likelihood(Observation o, Action, const State& next) const {
    return o == static_cast<int>(touches({next.x, next.y})) ? 1 : 0;
  }
};
static_assert(Model<BumperRoomba>);

std::unique_ptr<Pomdp> make_lidar_roomba(Params& params);

}  // namespace penumbra
