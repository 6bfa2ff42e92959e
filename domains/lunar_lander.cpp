#include "domains/lunar_lander.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "penumbra/model/action_table.h"

namespace penumbra {
namespace {

// A few of each thrust.
std::vector<LunarLander::Action> coarse_actions() {
  std::vector<LunarLander::Action> actions;
  for (float main : {0.0f, 6.0f, 9.0f, 12.0f, 15.0f})
    for (float side : {-2.0f, 0.0f, 2.0f})
      for (float offset : {-1.0f, 0.0f, 1.0f})
        // Where nothing acts does not matter.
        if (side != 0 || offset == 0) actions.push_back({side, main, offset});
  return actions;
}

}  // namespace

Facts LunarLander::facts() const {
  Facts f;
  f.name = name;
  f.discount = discount;
  f.min_reward = std::min(kCrash, -step_cost);
  f.max_reward = 100;
  f.action_low = {-kMaxSide, 0, -1};
  f.action_high = {kMaxSide, kMaxMain, 1};
  for (const Action& a : coarse_actions())
    f.action_hints.insert(f.action_hints.end(), {a.side, a.main, a.offset});
  return f;
}

LunarLander::State LunarLander::sample_initial(Rng& rng) const {
  const double wide = std::sqrt(0.1), narrow = 0.1;  // variances of 0.1 and 0.01
  auto around = [&](double mean, double deviation) {
    return static_cast<float>(rng.normal(mean, deviation));
  };
  while (true) {
    State s{};
    s.x = around(0, wide);
    s.z = around(50, wide);
    s.lean = around(0, narrow);
    s.vx = around(0, wide);
    s.vz = around(-10, wide);
    s.turn_rate = around(0, narrow);
    if (!is_terminal(s)) return s;
  }
}

LunarLander::State LunarLander::moved(const State& s, Action a) const {
  const float side = std::clamp(a.side, -kMaxSide, kMaxSide);
  const float main = std::clamp(a.main, 0.0f, kMaxMain);
  const float offset = std::clamp(a.offset, -1.0f, 1.0f);
  const float c = std::cos(s.lean), w = std::sin(s.lean);
  State next;  // the old speeds carry it; the mass is 1
  next.x = s.x + s.vx * dt;
  next.z = s.z + s.vz * dt;
  next.lean = s.lean + s.turn_rate * dt;
  next.vx = s.vx + (side * c - main * w) * dt;
  next.vz = s.vz + (main * c + side * w - kGravity) * dt;
  next.turn_rate = s.turn_rate - offset * side / kInertia * dt;
  return next;
}

Outcome<LunarLander::State, LunarLander::Observation> LunarLander::step(const State& s, Action a,
                                                                        Rng& rng) const {
  State next = moved(s, a);
  next.vx += static_cast<float>(rng.normal(0, speed_noise));
  next.vz += static_cast<float>(rng.normal(0, speed_noise));
  next.turn_rate += static_cast<float>(rng.normal(0, turn_noise));
  Observation seen = expected(next);
  for (int i = 0; i < 3; ++i) seen[i] += static_cast<float>(rng.normal(0, deviations[i]));
  return {next, seen, reward(next)};
}

double LunarLander::likelihood(const Observation& seen, Action, const State& next) const {
  constexpr double kRootTwoPi = 2.5066282746310002;
  const Observation mean = expected(next);
  double density = 1;
  for (int i = 0; i < 3; ++i) {
    const double z = (double(seen[i]) - mean[i]) / deviations[i];
    density *= std::exp(-0.5 * z * z) / (deviations[i] * kRootTwoPi);
  }
  return density;
}

// Only height and fall count here; sideways everything is forgiven. While no noise exceeds six
// deviations, the upward acceleration is between `down` and `up` in every step of a history that
// has not crashed: |lean| < 0.5, so T cos + F sin is at most hypot(15, 5) and at least -5 sin 0.5.
// A landing at step n with v_n upward pays at most 100 - v_n^2, or 100 if v_n can be 0 or more.
// The largest v_n for which z_n <= 1 is a knapsack: begin with `up` in every step, which ends
// z_n too high, and brake later: the first steps lower z_n the most for the same loss of v_n.
// Landings after the first n with v_n >= 0 pay less than one then, and there are none after the
// first n at which even `up` in every step ends at z_n <= 1. Larger noise in any of the steps
// has a probability below 2e-9 each, times at most 1100: `kRare` covers 400 steps.
double LunarLander::mdp_value(const State& s) const {
  if (is_terminal(s)) return 0;
  constexpr double kRare = 1e-3;
  constexpr int kMostSteps = 400;
  const double h = dt, noise = 6 * speed_noise;
  const double up = (std::hypot(kMaxMain, kMaxSide) - kGravity) * h + noise;
  const double down = -(kGravity + kMaxSide * std::sin(kMostLean)) * h - noise;
  const double forever = -step_cost / (1 - discount);
  double best = std::max<double>(forever, kCrash), weight = 1;  // discount^(n-1)
  for (int n = 1; true; ++n, weight *= discount) {
    // z_n = z + h (n v + sum over steps i of (n - 1 - i) a_i), with a_i the change of speed.
    double excess = double(s.z) - kGround + h * (n * double(s.vz) + up * (n - 1) * n / 2.0);
    double speed = s.vz + n * up;
    const bool must_land = excess <= 0;
    for (int i = 0; i < n - 1 && excess > 0; ++i) {
      const double change = std::min(up - down, excess / (h * (n - 1 - i)));
      excess -= change * h * (n - 1 - i);
      speed -= change;
    }
    if (n < kMostSteps && excess > 1e-4) continue;  // not so early
    const bool soft = speed >= 0 || n == kMostSteps;
    const double landing = soft ? 100 : 100 - speed * speed;
    best = std::max(best, forever * (1 - weight) + weight * landing);
    if (soft || must_land) return best + kRare;
  }
}

void LunarLander::encode(const State& s, FeatureRow row) const {
  row.dense[0] = s.x / 5;
  row.dense[1] = std::clamp(s.z, 0.0f, 100.0f) / 25 - 1;
  row.dense[2] = s.lean * 5;
  row.dense[3] = s.vx / 3;
  row.dense[4] = std::clamp(s.vz, -40.0f, 40.0f) / 10;
  row.dense[5] = s.turn_rate * 5;
  row.dense[6] = std::min(5 / (1 + std::max(s.z - kGround, 0.0f)), 2.5f);  // the last metres
  row.dense[7] = std::clamp(s.vz + std::sqrt(12 * std::max(s.z - kGround, 0.0f)), -20.0f, 20.0f) /
                 10;  // how much faster it could fall and still brake
}

LunarLander::State LunarLander::perturb(const State& s, Rng& rng) const {
  State moved = s;
  auto by = [&](double deviation) { return static_cast<float>(rng.normal(0, deviation)); };
  moved.x += by(0.05);
  moved.z += by(0.05);
  moved.lean += by(0.005);
  moved.vx += by(0.05);
  moved.vz += by(0.05);
  moved.turn_rate += by(0.005);
  return is_terminal(moved) ? s : moved;
}

Scene LunarLander::scene() const {
  return {"lunar-lander",
          {"x", "z", "lean", "vx", "vz", "turn_rate"},
          3,
          {{"ground", {kGround}}, {"farthest", {kFarthest}}}};
}

void LunarLander::scene_values(const State& s, std::span<float> out) const {
  const float values[] = {s.x, s.z, s.lean, s.vx, s.vz, s.turn_rate};
  std::copy(std::begin(values), std::end(values), out.begin());
}

// Columns of a metre and rows of three, from 54 m down to the ground.
std::string LunarLander::draw(const State& s) const {
  constexpr int kRows = 18, kHalf = 15;
  const int row = std::clamp(static_cast<int>((54 - s.z) / 3), 0, kRows - 1);
  const int column = std::clamp(static_cast<int>(std::lround(s.x)) + kHalf, 0, 2 * kHalf);
  std::string picture;
  for (int r = 0; r < kRows; ++r) {
    std::string line(2 * kHalf + 1, ' ');
    line[kHalf] = '.';
    if (r == row) line[column] = s.lean > 0.1f ? '\\' : s.lean < -0.1f ? '/' : '|';
    picture += '|' + line + "|\n";
  }
  return picture + '+' + std::string(2 * kHalf + 1, '=') + "+\n";
}

std::string LunarLander::describe_state(const State& s) const {
  return fmt::format("x={:.2f} z={:.2f} lean={:.0f} vx={:.2f} vz={:.2f} turning={:.0f}/s{}", s.x,
                     s.z, s.lean * 180 / std::numbers::pi, s.vx, s.vz,
                     s.turn_rate * 180 / std::numbers::pi,
                     crashed(s)       ? ", crashed"
                     : is_terminal(s) ? ", landed"
                                      : "");
}

std::unique_ptr<Pomdp> make_lunar_lander(Params& p) {
  LunarLander m;
  const std::string actions =
      p.word("actions", {"continuous", "35"}, "the thrusts freely, or a table of them");
  m.dt = static_cast<float>(p.real("dt", 0.4, 0.01, 1, "length of a step, s"));
  m.speed_noise = p.real("speed_noise", 0.1, 0, 10, "deviation of both speeds, a step");
  m.turn_noise = p.real("turn_noise", 0.01, 0, 1, "deviation of the turning rate, a step");
  m.deviations[0] = p.real("height_deviation", 1, 1e-4, 100, "of the height that is heard");
  m.deviations[1] = p.real("turn_deviation", 0.01, 1e-4, 10, "of the turning rate that is heard");
  m.deviations[2] = p.real("speed_deviation", 0.1, 1e-4, 100, "of the speed that is heard");
  m.discount = p.real("discount", 0.99, 0, 0.999999, "gamma");
  m.name = p.canonical();
  auto model = adapt(m);
  if (actions == "continuous") return model;
  RecordBuffer table(sizeof(LunarLander::Action));
  std::vector<std::string> names;
  for (const LunarLander::Action& a : coarse_actions()) {
    table.push_back(reinterpret_cast<const std::byte*>(&a));
    names.push_back(fmt::format("F{:g}T{:g}d{:g}", a.side, a.main, a.offset));
  }
  return action_table(std::move(model), std::move(table), std::move(names));
}

}  // namespace penumbra
