#include "domains/lidar_roomba.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "penumbra/base/error.h"
#include "penumbra/model/action_table.h"
#include "penumbra/model/adapt.h"

namespace penumbra {
namespace {

// The room as four abutting rectangles, for the start and for the original's rules.
struct Rectangle {
  double left, right, bottom, top;
  bool left_wall, top_wall, right_wall, bottom_wall;  // which sides are solid

  // The centres of discs inside: shrunk by the radius at the solid sides only.
  double min_x() const { return left + (left_wall ? Roomba::kRadius : 0); }
  double max_x() const { return right - (right_wall ? Roomba::kRadius : 0); }
  double min_y() const { return bottom + (bottom_wall ? Roomba::kRadius : 0); }
  double max_y() const { return top - (top_wall ? Roomba::kRadius : 0); }
  double area() const { return (max_x() - min_x()) * (max_y() - min_y()); }
  bool contains(Roomba::Point p) const {
    constexpr double kMargin = Roomba::kTouch;
    return p.x >= min_x() - kMargin && p.x <= max_x() + kMargin && p.y >= min_y() - kMargin &&
           p.y <= max_y() + kMargin;
  }
};
constexpr Rectangle kRectangles[4] = {
    {-25, -15, -20, -5, true, false, true, true},
    {-25, -15, -5, 5, true, true, false, false},
    {-15, 10, -5, 5, false, true, false, true},
    {10, 15, -5, 5, false, true, true, true},
};

enum Side { kNoSide, kLeftSide, kTopSide, kRightSide, kBottomSide };
struct Wall {
  int rectangle;
  Side side;
};
struct Layout {
  Wall goal, stairs;
};
constexpr Layout kLayouts[3] = {
    {{3, kRightSide}, {3, kBottomSide}},
    {{0, kBottomSide}, {1, kLeftSide}},
    {{3, kRightSide}, {1, kLeftSide}},
};

struct Segment {
  double x1, y1, x2, y2;
  bool vertical() const { return x1 == x2; }
};
constexpr Segment side_segment(const Rectangle& r, Side side) {
  switch (side) {
    case kLeftSide:
      return {r.left, r.bottom, r.left, r.top};
    case kTopSide:
      return {r.left, r.top, r.right, r.top};
    case kRightSide:
      return {r.right, r.bottom, r.right, r.top};
    default:
      return {r.left, r.bottom, r.right, r.bottom};
  }
}
constexpr Segment segment_of(Wall wall) {
  return side_segment(kRectangles[wall.rectangle], wall.side);
}

constexpr std::array<Segment, 10> solid_segments() {
  std::array<Segment, 10> segments{};
  size_t n = 0;
  for (const Rectangle& r : kRectangles) {
    if (r.left_wall) segments[n++] = side_segment(r, kLeftSide);
    if (r.top_wall) segments[n++] = side_segment(r, kTopSide);
    if (r.right_wall) segments[n++] = side_segment(r, kRightSide);
    if (r.bottom_wall) segments[n++] = side_segment(r, kBottomSide);
  }
  return segments;
}
constexpr std::array<Segment, 10> kSegments = solid_segments();

// The one wall of a rectangle that the original says a disc at p touches. Where it touches two, the
// larger "magnitude" wins; those of top and bottom are taken against x limits, as in the original,
// so that top and bottom win in all corners.
Side touched_side_as_original(const Rectangle& r, Roomba::Point p) {
  if (!r.contains(p)) return kNoSide;
  constexpr double kR = Roomba::kRadius, kMargin = Roomba::kTouch;
  Side side = kNoSide;
  double largest = -1;
  auto touch = [&](bool touches, Side which, double magnitude) {
    if (!touches || std::abs(magnitude) <= largest) return;
    largest = std::abs(magnitude);
    side = which;
  };
  touch(r.left_wall && p.x - kR <= r.left + kMargin, kLeftSide, p.x - kR - r.left);
  touch(r.top_wall && p.y + kR >= r.top - kMargin, kTopSide, p.y - kR - r.right);
  touch(r.right_wall && p.x + kR >= r.right - kMargin, kRightSide, p.x - kR - r.right);
  touch(r.bottom_wall && p.y - kR <= r.bottom + kMargin, kBottomSide, p.y - kR - r.left);
  return side;
}

// How far a disc may drive before this segment stops it, by the original's formulas.
double furthest_as_original(const Segment& s, Roomba::Point p, Roomba::Point h) {
  constexpr double kR = Roomba::kRadius;
  double furthest = HUGE_VAL;
  // Discs at the end points: R where R^2 is meant, so a radius of 0.71 m. One behind the robot
  // gives a negative distance, which counts as 0: the robot is stuck.
  for (auto [x, y] : {std::pair{s.x1, s.y1}, std::pair{s.x2, s.y2}}) {
    const double dx = x - p.x, dy = y - p.y, across = h.y * dx - h.x * dy;
    const double radicand = kR - across * across;
    if (radicand >= 0)
      furthest = std::min(furthest, std::max(h.x * dx + h.y * dy - std::sqrt(radicand), 0.0));
  }
  // The segment itself, moved towards the robot by the radius.
  const double speed = s.vertical() ? h.x : h.y;
  if (speed == 0) return furthest;
  const double line = (s.vertical() ? s.x1 - p.x : s.y1 - p.y) - std::copysign(kR, speed);
  const double t = line / speed;
  const double crossing = s.vertical() ? p.y + t * h.y : p.x + t * h.x;
  const bool hit =
      s.vertical() ? crossing >= s.y1 && crossing <= s.y2 : crossing >= s.x1 && crossing <= s.x2;
  return t >= 0 && hit ? std::min(furthest, t) : furthest;
}

}  // namespace

Roomba::Roomba(RoombaOptions options) : options_(std::move(options)) {
  PENUMBRA_CHECK(options_.config >= 1 && options_.config <= 3, "the configurations are 1 to 3");
  const Layout& layout = kLayouts[options_.config - 1];
  auto zone = [](Wall wall) {
    const Segment s = segment_of(wall);
    const float reach = kRadius + kTouch;
    const float margin_x = s.vertical() ? reach : 0, margin_y = s.vertical() ? 0 : reach;
    return Zone{float(s.x1) - margin_x, float(s.x2) + margin_x, float(s.y1) - margin_y,
                float(s.y2) + margin_y};
  };
  goal_ = zone(layout.goal);
  stairs_ = zone(layout.stairs);
}

Roomba::State Roomba::sample_initial(Rng& rng) const {
  std::array<double, 4> areas;
  for (int i = 0; i < 4; ++i) areas[i] = kRectangles[i].area();
  while (true) {
    const Rectangle& r = kRectangles[rng.categorical(areas)];
    const Point p{static_cast<float>(rng.uniform(r.min_x(), r.max_x())),
                  static_cast<float>(rng.uniform(r.min_y(), r.max_y()))};
    // The second rectangle reaches to within less than the radius of the corner.
    if (!options_.quirks && clearance_squared(p) < square(kRadius)) continue;
    return {p.x, p.y, wrap(static_cast<float>(rng.uniform(-kPi, kPi))), 0};
  }
}

Facts Roomba::common_facts() const {
  const RoombaOptions& o = options_;
  Facts facts;
  facts.name = o.name;
  facts.discount = o.discount;
  facts.min_reward = -o.time_penalty - std::max(o.contact_penalty, o.stairs_penalty);
  if (o.terminal_contact) facts.min_reward = -o.time_penalty - o.contact_penalty - o.stairs_penalty;
  facts.max_reward = -o.time_penalty + o.goal_reward;
  facts.action_low = {0, -o.om_max};
  facts.action_high = {o.v_max, o.om_max};
  for (float v : {0.0f, 0.5f, 1.0f})
    for (float omega : {-1.0f, -0.5f, 0.0f, 0.5f, 1.0f})
      facts.action_hints.insert(facts.action_hints.end(), {v * o.v_max, omega * o.om_max});
  return facts;
}

Roomba::Point Roomba::drive_as_original(Point p, Point heading, float distance) const {
  auto sign = [](float x) { return (x > 0) - (x < 0); };
  const double front_x = p.x + distance * heading.x + kRadius * sign(heading.x);
  const double front_y = p.y + distance * heading.y + kRadius * sign(heading.y);
  double t = distance;
  for (const Segment& s : kSegments) {
    const bool behind_line =
        s.vertical() ? (p.x - s.x1) * (front_x - s.x1) > 0 : (p.y - s.y1) * (front_y - s.y1) > 0;
    if (!behind_line) t = std::min(t, furthest_as_original(s, p, heading));
  }
  const Point end{static_cast<float>(p.x + t * heading.x), static_cast<float>(p.y + t * heading.y)};
  for (const Rectangle& r : kRectangles)
    if (r.contains(end)) return end;
  return p;
}

bool Roomba::touches_as_original(Point p) const {
  for (const Rectangle& r : kRectangles)
    if (touched_side_as_original(r, p) != kNoSide) return true;
  return false;
}

int Roomba::status_as_original(Point p) const {
  const auto [goal, stairs] = kLayouts[options_.config - 1];
  return (touched_side_as_original(kRectangles[goal.rectangle], p) == goal.side) -
         (touched_side_as_original(kRectangles[stairs.rectangle], p) == stairs.side);
}

float Roomba::goal_distance(Point p) const {
  const float to_corner = std::hypot(p.x - kCornerX, p.y - kCornerY);
  float distance;
  if (options_.config == 2)  // the bottom wall: straight down, or first to the corner
    distance = p.x <= kCornerX ? p.y - kMinY : to_corner + kCornerY - kMinY;
  else  // the right wall
    distance = p.y >= kCornerY ? kMaxX - p.x : to_corner + kMaxX - kCornerX;
  return std::max(distance, 0.0f);
}

// Two relaxations, each of which can only make the goal nearer; the larger count still is a lower
// bound. A step covers at most v_max * dt, and
//   - the way is no shorter than goal_distance;
//   - the straight distance to the goal's wall shrinks in step k by at most v_max * dt * cos(e_k),
//     where the heading error e_k is at least |e_0| - k * om_max * dt.
int Roomba::fewest_steps_to_goal(const State& s) const {
  const bool down = options_.config == 2;
  const float reach = options_.v_max * options_.dt, turn = options_.om_max * options_.dt;
  const float slack = 2e-3f;  // m, far above all rounding
  auto steps = [&](float distance) { return std::ceil((distance - slack) / reach); };

  const float by_distance = steps(goal_distance({s.x, s.y}));
  float error = std::abs(down ? wrap(s.theta + kPi / 2) : s.theta);
  float rest = down ? s.y - kMinY : kMaxX - s.x;
  float by_turning = 0;
  while (rest > slack) {
    error = std::max(error - turn, 0.0f);
    if (error == 0) {
      by_turning += steps(rest);
      break;
    }
    rest -= reach * std::max(std::cos(error), 0.0f);
    by_turning += 1;
  }
  return static_cast<int>(std::max({by_distance, by_turning, 1.0f}));
}

// A history that ends at the goal in step n earns at most
//   f(n) = -time (1 + ... + gamma^(n-1)) + gamma^(n-1) (goal - contact),
// where the contact is paid unless the robot is at a wall from the start (or it is free at the
// end): touching the goal is contact, so it was charged then, or earlier and discounted less. With
// A = -time / (1 - gamma), f(n) - A is a constant times gamma^n, so over all n from n_min up f is
// largest at n_min or in the limit A, and A is also what a history that never ends earns at most.
// A fall at step n is bounded in the same way, with n_min = 1.
double Roomba::mdp_value(const State& s) const {
  if (is_terminal(s)) return 0;
  const RoombaOptions& o = options_;
  const double gamma = o.discount, forever = -o.time_penalty / (1 - gamma);
  const bool contact = o.terminal_contact && !touches({s.x, s.y});
  auto ends_after = [&](int n, double last) {
    return forever * (1 - std::pow(gamma, n)) +
           std::pow(gamma, n - 1) * (last - (contact ? o.contact_penalty : 0));
  };
  return std::max({forever, ends_after(fewest_steps_to_goal(s), o.goal_reward),
                   ends_after(1, -o.stairs_penalty)});
}

Roomba::State Roomba::perturb(const State& s, Rng& rng) const {
  if (is_terminal(s)) return s;
  const float dx = static_cast<float>(rng.normal(0, options_.jitter));
  const float dy = static_cast<float>(rng.normal(0, options_.jitter));
  const float turn = static_cast<float>(rng.normal(0, options_.jitter_heading));
  const float theta = wrap(s.theta + std::clamp(turn, -kPi, kPi));
  const float distance = std::hypot(dx, dy);
  if (!(distance > 0)) return {s.x, s.y, theta, 0};
  const Point p = drive({s.x, s.y}, {dx / distance, dy / distance}, distance);
  if (touched_status(p) != 0) return {s.x, s.y, theta, 0};
  return {p.x, p.y, theta, 0};
}

Roomba::State Roomba::from_coordinates(std::array<float, 3> values) const {
  const float theta = wrap(std::remainder(values[2], 2 * kPi));
  Point p{std::clamp(values[0], kMinX, kMaxX), std::clamp(values[1], kMinY, kMaxY)};
  if (clearance_squared(p) < square(kRadius)) {  // inside the block: out by the nearest side
    const float dx = p.x - kCornerX, dy = p.y - kCornerY, d = std::hypot(dx, dy);
    if (dx < 0 && dy > 0)
      p = {kCornerX + dx * kRadius / d, kCornerY + dy * kRadius / d};
    else if (p.x - kBlockX < kBlockY - p.y)
      p.x = kBlockX;
    else
      p.y = kBlockY;
  }
  if (goal_.contains(p) || stairs_.contains(p)) {
    const float back = 0.01f;
    p.x = std::clamp(p.x, kMinX + back, kMaxX - back);
    p.y = std::clamp(p.y, (p.x > kCornerX ? kBlockY : kMinY) + back, kMaxY - back);
  }
  return {p.x, p.y, theta, 0};
}

FeatureLayout Roomba::features() const {
  FeatureLayout layout;
  layout.num_dense = options_.rich_features ? 7 : 4;
  return layout;
}

void Roomba::encode(const State& s, FeatureRow row) const {
  if (!options_.rich_features) {
    row.dense[0] = s.x;
    row.dense[1] = s.y;
    row.dense[2] = s.theta;
    row.dense[3] = static_cast<float>(s.status);
    return;
  }
  const Point p{s.x, s.y}, heading{std::cos(s.theta), std::sin(s.theta)};
  row.dense[0] = (s.x + 5) / 20;  // the room spans [-1, 1]
  row.dense[1] = (s.y + 7.5f) / 12.5f;
  row.dense[2] = heading.x;
  row.dense[3] = heading.y;
  row.dense[4] = ray_length(p, heading) / 20;
  row.dense[5] = goal_distance(p) / 20;
  row.dense[6] = touches(p);  // a robot in contact is not charged again
}

Scene Roomba::scene() const {
  auto numbers = [](std::initializer_list<Segment> segments) {
    std::vector<float> out;
    for (const Segment& s : segments)
      for (double v : {s.x1, s.y1, s.x2, s.y2}) out.push_back(static_cast<float>(v));
    return out;
  };
  std::vector<float> walls;
  for (const Segment& s : kSegments)
    for (float v : numbers({s})) walls.push_back(v);
  const Layout& layout = kLayouts[options_.config - 1];
  return {"lidar-roomba",
          {"x", "y", "heading", "ray", "status"},
          3,
          {{"walls", std::move(walls)},
           {"goal", numbers({segment_of(layout.goal)})},
           {"stairs", numbers({segment_of(layout.stairs)})},
           {"radius", {kRadius}}}};
}

void Roomba::scene_values(const State& s, std::span<float> out) const {
  out[0] = s.x;
  out[1] = s.y;
  out[2] = s.theta;
  out[3] = ray_length(s);
  out[4] = static_cast<float>(s.status);
}

std::string Roomba::describe_state(const State& s) const {
  const char* where = s.status > 0          ? ", at the goal"
                      : s.status < 0        ? ", down the stairs"
                      : touches({s.x, s.y}) ? ", at a wall"
                                            : "";
  return fmt::format("x={:.2f} y={:.2f} heading={:.0f}{}", s.x, s.y, s.theta * 180 / kPi, where);
}

// Cells of 1.25 m by 2.5 m, which every wall fits: letters are about twice as high as wide.
std::string Roomba::draw(const State& s) const {
  constexpr float kWide = 1.25f, kHigh = 2.5f;
  constexpr int kColumns = 32, kRows = 10;
  auto inside = [](int row, int column) {
    return row >= 0 && row < kRows && column >= 0 && column < kColumns && (row < 4 || column < 8);
  };
  auto on = [&](Wall wall, float x, float y) {
    const Segment w = segment_of(wall);
    return x >= w.x1 && x <= w.x2 && y >= w.y1 && y <= w.y2;
  };
  const Layout& layout = kLayouts[options_.config - 1];
  auto wall = [&](int row, int column) {
    char shown = ' ';
    for (int dr = -1; dr <= 1; ++dr) {
      for (int dc = -1; dc <= 1; ++dc) {
        if (!inside(row + dr, column + dc)) continue;
        if (shown == ' ') shown = '#';
        if (dr != 0 && dc != 0) continue;
        // Half way to the floor next to it is on the wall.
        const float x = kLeft + kWide * (column + 0.5f * (1 + dc));
        const float y = kTop - kHigh * (row + 0.5f * (1 + dr));
        if (on(layout.goal, x, y)) shown = 'G';
        if (on(layout.stairs, x, y)) shown = 'S';
      }
    }
    return shown;
  };
  static constexpr const char* kArrows[8] = {"→", "↗", "↑", "↖", "←", "↙", "↓", "↘"};
  const int robot_row = std::clamp(static_cast<int>((kTop - s.y) / kHigh), 0, kRows - 1);
  const int robot_column = std::clamp(static_cast<int>((s.x - kLeft) / kWide), 0, kColumns - 1);
  const int octant = static_cast<int>(std::lround(s.theta / (kPi / 4)));
  std::string picture;
  for (int row = -1; row <= kRows; ++row) {
    std::string line;
    for (int column = -1; column <= kColumns; ++column) {
      if (row == robot_row && column == robot_column)
        line += kArrows[octant & 7];
      else
        line += inside(row, column) ? '.' : wall(row, column);
    }
    picture += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return picture;
}

LidarRoomba::LidarRoomba(RoombaOptions options)
    : Roomba(std::move(options)), mass_below_zero_(normal_cdf(-1 / this->options().ray_stdev)) {}

Facts BumperRoomba::facts() const {
  Facts facts = common_facts();
  facts.num_observations = 2;
  facts.observation_names = {"free", "bump"};
  return facts;
}

std::unique_ptr<Pomdp> make_lidar_roomba(Params& params) {
  RoombaOptions o;
  auto real = [&](const char* name, float& value, double low, double high, const char* help) {
    value = static_cast<float>(params.real(name, value, low, high, help));
  };
  const bool lidar = params.word("sensor", {"lidar", "bumper"},
                                 "distance ahead, or contact with a wall") == "lidar";
  o.config = params.integer("config", o.config, 1, 3,
                            "1: goal right, stairs right end of the corridor's lower wall; 2: goal "
                            "bottom, stairs upper left; 3: goal right, stairs upper left");
  const std::string actions =
      params.word("actions", {"9", "33", "continuous"}, "a table of actions, or (v, omega) freely");
  real("v_max", o.v_max, 0.1, 100, "highest speed, m/s");
  real("om_max", o.om_max, 0.1, 6, "highest turning rate, rad/s");
  real("dt", o.dt, 0.05, 1, "length of a step, s");
  real("goal_reward", o.goal_reward, 0, 1e4, "for touching the goal wall");
  real("stairs_penalty", o.stairs_penalty, 0, 1e4, "subtracted for touching the stairs wall");
  real("contact_penalty", o.contact_penalty, 0, 1e4, "subtracted for coming into contact");
  real("time_penalty", o.time_penalty, 0, 1e4, "subtracted every step");
  o.discount = params.real("discount", o.discount, 0, 0.9999, "gamma");
  o.ray_stdev = params.real("ray_stdev", o.ray_stdev, 0.001, 10, "lidar noise per distance");
  o.terminal_contact = params.flag("terminal_contact", o.terminal_contact,
                                   "is contact charged on the step that reaches goal or stairs");
  o.quirks = params.flag("quirks", o.quirks, "collide as the original code does");
  o.rich_features = params.word("features", {"rich", "raw"},
                                "network inputs: scaled and derived, or the state") == "rich";
  real("jitter", o.jitter, 0, 5, "how far perturbed particles move, m");
  real("jitter_heading", o.jitter_heading, 0, 3, "how far perturbed particles turn, rad");
  o.name = params.canonical();

  auto model = lidar ? adapt(LidarRoomba(o)) : adapt(BumperRoomba(o));
  if (actions == "continuous") return model;
  const bool small = actions == "9";
  RecordBuffer table(sizeof(Roomba::Action));
  std::vector<std::string> names;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < (small ? 3 : 11); ++j) {
      const Roomba::Action a{o.v_max * static_cast<float>(i * (small ? 0.5 : 0.4)),
                             o.om_max * static_cast<float>(small ? j - 1 : (j - 5) / 5.0)};
      table.push_back(reinterpret_cast<const std::byte*>(&a));
      static constexpr const char* kSmallNames[3][3] = {{"spin-right", "wait", "spin-left"},
                                                        {"slow-right", "slow", "slow-left"},
                                                        {"fast-right", "fast", "fast-left"}};
      names.push_back(small ? kSmallNames[i][j] : fmt::format("v{:g}w{:g}", a.v, a.omega));
    }
  }
  return action_table(std::move(model), std::move(table), std::move(names));
}

}  // namespace penumbra
