#include "domains/vdp_tag.h"

#include <fmt/format.h>

#include <algorithm>

#include "penumbra/model/action_table.h"

namespace penumbra {

// Five steps of the classic Runge-Kutta method, a tenth of a second each, of
//   x' = mu (x - x^3 / 3 - y),  y' = x / mu.
VdpTag::Point VdpTag::carried(Point target) {
  constexpr double h = 0.1, mu = kMu;
  struct Vector {
    double x, y;
  };
  auto slope = [](Vector p) { return Vector{mu * (p.x - p.x * p.x * p.x / 3 - p.y), p.x / mu}; };
  auto along = [](Vector p, double t, Vector v) { return Vector{p.x + t * v.x, p.y + t * v.y}; };
  Vector p{target.x, target.y};
  for (int i = 0; i < 5; ++i) {
    const Vector k1 = slope(p), k2 = slope(along(p, h / 2, k1)), k3 = slope(along(p, h / 2, k2));
    const Vector k4 = slope(along(p, h, k3));
    p.x += h / 6 * (k1.x + 2 * k2.x + 2 * k3.x + k4.x);
    p.y += h / 6 * (k1.y + 2 * k2.y + 2 * k3.y + k4.y);
  }
  return {static_cast<float>(p.x), static_cast<float>(p.y)};
}

// The agent stops just short of the first barrier that it meets. A move along a barrier is free.
VdpTag::Point VdpTag::moved(Point agent, float angle) const {
  constexpr float kShort = 1e-6f;
  const double dx = step_size * std::cos(angle), dy = step_size * std::sin(angle);
  // The part of the move until the line of two barriers, 2 if it is not met between their ends.
  auto meets = [](double across, double d_across, double at, double d_at) {
    if (d_across == 0) return 2.0;
    const double part = -across / d_across, where = std::abs(at + part * d_at);
    const bool hit = part >= 0 && part <= 1 && where >= kBarrierFrom && where <= kBarrierTo;
    return hit ? part : 2.0;
  };
  const double level = barriers ? meets(agent.y, dy, agent.x, dx) : 2;
  const double upright = barriers ? meets(agent.x, dx, agent.y, dy) : 2;
  const double part = std::min({1.0, level, upright});
  Point to{static_cast<float>(agent.x + part * dx), static_cast<float>(agent.y + part * dy)};
  if (part == level) to.y = dy > 0 ? -kShort : kShort;
  if (part == upright) to.x = dx > 0 ? -kShort : kShort;
  return to;
}

int VdpTag::active_beam(const State& s) {
  float angle = std::atan2(s.target.y - s.agent.y, s.target.x - s.agent.x);
  if (angle <= 0) angle += kTurn;
  return std::clamp(static_cast<int>(std::ceil(kBeams * angle / kTurn)) - 1, 0, kBeams - 1);
}

Facts VdpTag::facts() const {
  Facts f;
  f.name = name;
  f.discount = discount;
  f.min_reward = -step_cost - look_cost;
  f.max_reward = tag_reward;
  f.action_low = {0, 0};
  f.action_high = {kTurn, 1};
  constexpr int kDirections = 10;
  for (float look : {0.0f, 1.0f})
    for (int i = 0; i < kDirections; ++i) {
      f.action_hints.push_back((static_cast<float>(i) + 0.5f) / kDirections * kTurn);
      f.action_hints.push_back(look);
    }
  return f;
}

VdpTag::State VdpTag::sample_initial(Rng& rng) const {
  while (true) {
    State s{};
    s.target.x = static_cast<float>(rng.uniform(-kStartHalf, kStartHalf));
    s.target.y = static_cast<float>(rng.uniform(-kStartHalf, kStartHalf));
    if (!is_terminal(s)) return s;
  }
}

Outcome<VdpTag::State, VdpTag::Observation> VdpTag::step(const State& s, Action a, Rng& rng) const {
  State next{moved(s.agent, a.angle), carried(s.target)};
  next.target.x += static_cast<float>(rng.normal(0, drift));
  next.target.y += static_cast<float>(rng.normal(0, drift));
  Observation seen;
  for (int b = 0; b < kBeams; ++b)
    seen[b] = static_cast<float>(rng.normal(expected(b, next), deviation(b, a, next)));
  const float reward = is_terminal(next) ? tag_reward : -step_cost;
  return {next, seen, reward - (a.looks() ? look_cost : 0)};
}

double VdpTag::likelihood(const Observation& seen, Action a, const State& next) const {
  constexpr double kRootTwoPi = 2.5066282746310002;
  const int active = active_beam(next);
  double squares = 0, scale = 1;
  for (int b = 0; b < kBeams; ++b) {
    const double spread = b == active && a.looks() ? look_deviation : beam_deviation;
    const double z = (seen[b] - (b == active ? distance(next) : 1.0)) / spread;
    squares += z * z;
    scale *= spread * kRootTwoPi;
  }
  return std::exp(-0.5 * squares) / scale;
}

// A tag with the next step, or a later one, which is worth at most a tag after one more. The next
// step tags only if the noise brings the target to within a step and the tagging radius of where
// the agent is now; the length of the noise exceeds l with probability exp(-l^2 / (2 drift^2)).
// Further steps are not counted: the oscillator may bring the target from anywhere.
double VdpTag::mdp_value(const State& s) const {
  if (is_terminal(s)) return 0;
  const Point to = carried(s.target);
  const double way = std::hypot(to.x - s.agent.x, to.y - s.agent.y);
  const double noise = std::max(0.0, way - step_size - tag_radius - 1e-5) / drift;
  const double now = std::exp(-0.5 * noise * noise);
  return now * tag_reward + (1 - now) * (discount * tag_reward - step_cost);
}

void VdpTag::encode(const State& s, FeatureRow row) const {
  const Point to = carried(s.target);
  const float values[] = {s.agent.x, s.agent.y,        s.target.x,       s.target.y, to.x,
                          to.y,      to.x - s.agent.x, to.y - s.agent.y, distance(s)};
  for (int i = 0; i < 9; ++i) row.dense[i] = values[i] / 3;
}

// The agent knows where it is.
VdpTag::State VdpTag::perturb(const State& s, Rng& rng) const {
  State moved = s;
  moved.target.x += static_cast<float>(rng.normal(0, drift));
  moved.target.y += static_cast<float>(rng.normal(0, drift));
  return is_terminal(moved) ? s : moved;
}

Scene VdpTag::scene() const {
  Scene out{"vdp-tag", {"target_x", "target_y", "agent_x", "agent_y"}, 2, {}};
  std::vector<float> walls;
  if (barriers)
    for (float side : {-1.0f, 1.0f}) {
      walls.insert(walls.end(), {side * kBarrierFrom, 0, side * kBarrierTo, 0});
      walls.insert(walls.end(), {0, side * kBarrierFrom, 0, side * kBarrierTo});
    }
  out.setting = {{"walls", std::move(walls)}, {"radius", {tag_radius}}, {"half", {kStartHalf}}};
  return out;
}

void VdpTag::scene_values(const State& s, std::span<float> out) const {
  const float values[] = {s.target.x, s.target.y, s.agent.x, s.agent.y};
  std::copy(std::begin(values), std::end(values), out.begin());
}

// Cells of 0.25 by 0.5 over the square in which the target begins.
std::string VdpTag::draw(const State& s) const {
  constexpr int kColumns = 33, kRows = 17;
  auto column = [](float x) { return static_cast<int>(std::lround((x + kStartHalf) * 4)); };
  auto row = [](float y) { return static_cast<int>(std::lround((kStartHalf - y) * 2)); };
  std::string picture;
  for (int r = 0; r < kRows; ++r) {
    for (int c = 0; c < kColumns; ++c) {
      const float x = c / 4.0f - kStartHalf, y = kStartHalf - r / 2.0f;
      const float out = std::max(std::abs(x), std::abs(y));
      const bool on_axis = barriers && out >= kBarrierFrom && out <= kBarrierTo;
      char shown = on_axis && y == 0 ? '-' : on_axis && x == 0 ? '|' : '.';
      if (r == row(s.target.y) && c == column(s.target.x)) shown = 'T';
      if (r == row(s.agent.y) && c == column(s.agent.x)) shown = 'A';
      picture += shown;
    }
    picture += '\n';
  }
  return picture;
}

std::string VdpTag::describe_state(const State& s) const {
  return fmt::format("agent ({:.2f}, {:.2f}), target ({:.2f}, {:.2f}){}", s.agent.x, s.agent.y,
                     s.target.x, s.target.y, is_terminal(s) ? ", tagged" : "");
}

std::unique_ptr<Pomdp> make_vdp_tag(Params& p) {
  VdpTag m;
  const int directions =
      p.integer("actions", 0, 0, 360, "directions, each without and with a look; 0: any angle");
  m.barriers = p.flag("barriers", true, "four barriers on the axes stop the agent");
  m.drift = p.real("drift", 0.05, 1e-6, 10, "deviation of the target's move, each way");
  m.look_deviation = p.real("look_deviation", 0.1, 1e-3, 100, "of the beam that hits, looking");
  m.beam_deviation = p.real("beam_deviation", 5, 1e-3, 100, "of all other beams");
  m.look_cost = static_cast<float>(p.real("look_cost", 5, 0, 1e3, "subtracted for a look"));
  m.discount = p.real("discount", 0.95, 0, 0.999999, "gamma");
  m.name = p.canonical();
  auto model = adapt(m);
  if (directions == 0) return model;
  RecordBuffer table(sizeof(VdpTag::Action));
  std::vector<std::string> names;
  for (float look : {0.0f, 1.0f})
    for (int i = 0; i < directions; ++i) {
      const float part = (static_cast<float>(i) + 0.5f) / static_cast<float>(directions);
      const VdpTag::Action a{part * VdpTag::kTurn, look};
      table.push_back(reinterpret_cast<const std::byte*>(&a));
      names.push_back(fmt::format("{}{:.0f}", look > 0 ? "look" : "go", part * 360));
    }
  return action_table(std::move(model), std::move(table), std::move(names));
}

}  // namespace penumbra
