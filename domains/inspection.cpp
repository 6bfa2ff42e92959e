#include "domains/inspection.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace penumbra {
namespace {

using Wall = Inspection::Wall;

constexpr Wall kWalls[] = {
    {{0, 0}, {9, 0}}, {{0, 5}, {9, 5}}, {{0, 0}, {0, 5}}, {{9, 0}, {9, 5}},  // the building
    {{0, 2}, {1, 2}}, {{2, 2}, {4, 2}}, {{5, 2}, {7, 2}}, {{8, 2}, {9, 2}},  // beside the doors
    {{3, 2}, {3, 3}}, {{3, 4}, {3, 5}}, {{6, 2}, {6, 3}}, {{6, 4}, {6, 5}},  // and the passages
};

Wall door_wall(int room) {
  const Inspection::Point at = Inspection::door(room);
  return {{at.x - Inspection::kDoorHalf, at.y}, {at.x + Inspection::kDoorHalf, at.y}};
}

// The corridor is 0, rooms are counted from 1.
int region(const Inspection::State& s) {
  if (s.y < Inspection::kCorridor) return 0;
  return 1 + std::clamp(static_cast<int>(s.x / Inspection::kRoomWidth), 0, Inspection::kRooms - 1);
}

float wrap(double angle) {
  constexpr double kPi = std::numbers::pi;
  const auto wrapped = static_cast<float>(std::remainder(angle, 2 * kPi));
  return wrapped <= -static_cast<float>(kPi) ? static_cast<float>(kPi) : wrapped;
}

}  // namespace

float Inspection::free_way(Point p, float heading, unsigned open) {
  const float hx = std::cos(heading), hy = std::sin(heading);
  float way = kWidth + kHeight;
  auto meet = [&](const Wall& w) {
    const bool level = w.from.y == w.to.y;
    const float t = level ? (w.from.y - p.y) / hy : (w.from.x - p.x) / hx;
    if (!(t >= 0 && t < way)) return;
    const float at = level ? p.x + t * hx : p.y + t * hy;
    if (level ? at >= w.from.x && at <= w.to.x : at >= w.from.y && at <= w.to.y) way = t;
  };
  for (const Wall& w : kWalls) meet(w);
  for (int r = 0; r < kRooms; ++r)
    if (!(open >> r & 1)) meet(door_wall(r));
  return way;
}

int Inspection::nearest_place(const State& s) {
  return std::clamp(static_cast<int>(s.x / kRoomWidth), 0, kRooms - 1);
}

// A look tells faulty (1) from fine (-1), the worse the farther the place is.
Inspection::Heard Inspection::signal(int action, const State& next) const {
  if (action != kLook) return {distance(next, kDockAt), beacon_deviation};
  const int r = nearest_place(next);
  return {next.faulty >> r & 1 ? 1.0 : -1.0, look_deviation * std::exp2(distance(next, place(r)))};
}

Facts Inspection::facts() const {
  Facts f;
  f.name = name;
  f.discount = discount;
  f.num_actions = 6;
  f.action_names = {"forward", "left", "right", "look", "report", "dock"};
  f.min_reward = false_reward + empty_reward;
  f.max_reward = std::max(found_reward, dock_reward);
  return f;
}

Inspection::State Inspection::sample_initial(Rng& rng) const {
  State s{};
  s.x = kDockAt.x;
  s.y = kDockAt.y;
  s.battery = static_cast<float>(battery * rng.uniform(1, 1.25));
  for (int r = 0; r < kRooms; ++r) {
    s.open = static_cast<uint8_t>(s.open | (rng.bernoulli(prior_open) ? 1 << r : 0));
    s.faulty = static_cast<uint8_t>(s.faulty | (rng.bernoulli(prior_faulty) ? 1 << r : 0));
  }
  return s;
}

Outcome<Inspection::State, Inspection::Observation> Inspection::step(const State& s, int action,
                                                                     Rng& rng) const {
  const auto drive = static_cast<float>(rng.uniform(kShortest, 1));
  const auto veer = static_cast<float>(rng.normal(0, turn_noise));
  const auto drain = static_cast<float>(std::max(0.0, rng.normal(1, drain_noise)));
  State next = s;
  float reward = 0;
  next.battery -= (action == kForward ? 1 : kIdle) * drain;
  if (action == kForward) {
    const float way = free_way({s.x, s.y}, s.heading, s.open) - kClearance;
    const float by = std::clamp(way, 0.0f, drive);
    // Rounding must not put it into a wall that it grazes.
    next.x = std::clamp(s.x + by * std::cos(s.heading), 0.01f, kWidth - 0.01f);
    next.y = std::clamp(s.y + by * std::sin(s.heading), 0.01f, kHeight - 0.01f);
  } else if (action == kLeft || action == kRight) {
    next.heading = wrap(s.heading + (action == kLeft ? kTurn : -kTurn) + veer);
  } else if (action == kReport) {
    const int r = nearest_place(s);
    const bool found = distance(s, place(r)) <= kReach && (s.faulty >> r & 1);
    reward += found ? found_reward : false_reward;
    if (found) next.faulty = static_cast<uint8_t>(next.faulty & ~(1 << r));
  } else if (action == kDock && distance(s, kDockAt) <= kReach) {
    reward += dock_reward;
    next.ended = 1;
  }
  if (next.battery <= 0 && !next.ended) {
    reward += empty_reward;
    next.ended = 1;
  }
  auto heard = [&](Heard h) { return static_cast<float>(rng.normal(h.mean, h.deviation)); };
  const float ahead = heard(range(next));
  return {next, {ahead, heard(signal(action, next))}, reward};
}

double Inspection::likelihood(const Observation& seen, int action, const State& next) const {
  auto density = [](double x, Heard h) {
    const double z = (x - h.mean) / h.deviation;
    return std::exp(-0.5 * z * z) / (h.deviation * 2.5066282746310002);
  };
  return density(seen.range, range(next)) * density(seen.signal, signal(action, next));
}

double Inspection::cumulative(float bound, int coordinate, int action, const State& next) const {
  const Heard h = coordinate == 0 ? range(next) : signal(action, next);
  return normal_cdf((bound - h.mean) / h.deviation);
}

// Every fault and the dock as if it were alone and nothing in the way: a drive is at most 1 m, what
// pays is paid at most once, and everything else pays nothing or less.
double Inspection::mdp_value(const State& s) const {
  if (is_terminal(s)) return 0;
  auto worth = [&](Point p, float reward) {
    const double drives = std::ceil(std::max(0.0f, distance(s, p) - kReach) - 1e-4);
    return std::max(0.0f, reward) * std::pow(discount, drives);
  };
  double value = worth(kDockAt, dock_reward);
  for (int r = 0; r < kRooms; ++r)
    if (s.faulty >> r & 1) value += worth(place(r), found_reward);
  return value;
}

void Inspection::encode(const State& s, FeatureRow row) const {
  row.category[0] = region(s);
  row.category[1] = static_cast<int>(std::lround(s.heading / kTurn)) & 7;
  for (int r = 0; r < kRooms; ++r) {
    row.set_bit(r, s.open >> r & 1);
    row.set_bit(kRooms + r, s.faulty >> r & 1);
  }
  const float values[] = {s.x / 4.5f - 1,
                          s.y / 2.5f - 1,
                          std::cos(s.heading),
                          std::sin(s.heading),
                          s.battery / battery,
                          distance(s, kDockAt) / 5,
                          distance(s, place(nearest_place(s))) / 2};
  for (int i = 0; i < 7; ++i) row.dense[i] = s.ended ? 0 : values[i];
}

Inspection::State Inspection::perturb(const State& s, Rng& rng) const {
  State moved = s;
  const auto where = static_cast<float>(rng.uniform(-std::numbers::pi, std::numbers::pi));
  const auto far = static_cast<float>(std::abs(rng.normal(0, 0.05)));
  const float way = std::clamp(free_way({s.x, s.y}, where, s.open) - kClearance, 0.0f, far);
  moved.x = std::clamp(s.x + way * std::cos(where), 0.01f, kWidth - 0.01f);
  moved.y = std::clamp(s.y + way * std::sin(where), 0.01f, kHeight - 0.01f);
  moved.heading = wrap(s.heading + rng.normal(0, 0.02));
  return moved;
}

Scene Inspection::scene() const {
  Scene out{"inspection", {"x", "y", "heading", "battery"}, 3, {}};
  std::vector<float> walls, doors, places;
  auto add = [](std::vector<float>& to, const Wall& w) {
    to.insert(to.end(), {w.from.x, w.from.y, w.to.x, w.to.y});
  };
  for (const Wall& w : kWalls) add(walls, w);
  for (const char* kind : {"open", "faulty"})
    for (int r = 0; r < kRooms; ++r) out.fields.push_back(fmt::format("{}{}", kind, r + 1));
  for (int r = 0; r < kRooms; ++r) {
    add(doors, door_wall(r));
    places.insert(places.end(), {place(r).x, place(r).y});
  }
  out.setting = {{"size", {kWidth, kHeight}},      {"walls", std::move(walls)},
                 {"doors", std::move(doors)},      {"places", std::move(places)},
                 {"dock", {kDockAt.x, kDockAt.y}}, {"battery", {1.25f * battery}}};
  return out;
}

void Inspection::scene_values(const State& s, std::span<float> out) const {
  out[0] = s.x;
  out[1] = s.y;
  out[2] = s.heading;
  out[3] = s.battery;
  for (int r = 0; r < kRooms; ++r) {
    out[4 + r] = static_cast<float>(s.open >> r & 1);
    out[4 + kRooms + r] = static_cast<float>(s.faulty >> r & 1);
  }
}

// Cells of a quarter metre by half a metre; `!` is a fault, `o` a place that is fine.
std::string Inspection::draw(const State& s) const {
  constexpr int kColumns = 37, kRows = 11;
  std::vector<std::string> cells(kRows, std::string(kColumns, ' '));
  auto put = [&](Point p, char shown) {
    const int column = static_cast<int>(std::lround(p.x * 4));
    const int row = static_cast<int>(std::lround((kHeight - p.y) * 2));
    cells[std::clamp(row, 0, kRows - 1)][std::clamp(column, 0, kColumns - 1)] = shown;
  };
  auto line = [&](const Wall& w, char shown) {
    for (float x = w.from.x; x <= w.to.x; x += 0.25f)
      for (float y = w.from.y; y <= w.to.y; y += 0.5f) put({x, y}, shown);
  };
  for (int r = 0; r < kRooms; ++r) line(door_wall(r), s.open >> r & 1 ? ' ' : '=');
  for (const Wall& w : kWalls) line(w, '#');
  for (int r = 0; r < kRooms; ++r) put(place(r), s.faulty >> r & 1 ? '!' : 'o');
  put(kDockAt, 'D');
  static constexpr char kArrows[] = ">/^\\</v\\";
  put({s.x, s.y}, kArrows[std::lround(s.heading / kTurn) & 7]);
  std::string picture;
  for (const std::string& row : cells) picture += row + '\n';
  return picture;
}

std::string Inspection::describe_state(const State& s) const {
  auto bits = [](unsigned set, char yes, char no) {
    std::string out;
    for (int r = 0; r < kRooms; ++r) out += set >> r & 1 ? yes : no;
    return out;
  };
  return fmt::format("({:.2f}, {:.2f}) heading {:.0f}, battery {:.1f}, doors {}, places {}{}", s.x,
                     s.y, s.heading * 180 / std::numbers::pi, s.battery, bits(s.open, 'o', 'c'),
                     bits(s.faulty, '!', '.'),
                     !s.ended        ? ""
                     : s.battery > 0 ? ", docked"
                                     : ", stranded");
}

std::unique_ptr<Pomdp> make_inspection(Params& p) {
  Inspection m;
  m.prior_open = p.real("prior_open", 0.7, 0, 1, "chance that a door is open");
  m.prior_faulty = p.real("prior_faulty", 0.5, 0, 1, "chance that a place is faulty");
  m.battery = static_cast<float>(p.real("battery", 30, 1, 1000, "the least at the start"));
  m.look_deviation = p.real("look_deviation", 0.5, 1e-3, 100, "of a look from no distance");
  m.range_deviation = p.real("range_deviation", 0.1, 1e-3, 10, "of the range ahead, m");
  m.beacon_deviation = p.real("beacon_deviation", 0.3, 1e-3, 10, "of the way to the dock, m");
  m.turn_noise = p.real("turn_noise", 0.05, 0, 1, "deviation of a turn, rad");
  m.discount = p.real("discount", 0.98, 0, 0.999999, "gamma");
  m.name = p.canonical();
  return adapt(m);
}

}  // namespace penumbra
