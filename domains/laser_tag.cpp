#include "domains/laser_tag.h"

#include <fmt/format.h>

#include <cmath>
#include <mutex>
#include <numbers>

#include "penumbra/base/error.h"

namespace penumbra {
namespace {
// North, east, south, west, then north-east, south-east, south-west, north-west.
constexpr int kDx[] = {0, 1, 0, -1, 1, 1, -1, -1}, kDy[] = {1, 0, -1, 0, 1, -1, -1, 1};
constexpr float kTagReward = 10, kMissReward = -10, kMoveReward = -1;
}  // namespace

struct LaserTag::Values {
  std::once_flag once;
  std::vector<double> value;  // [robot][opponent]
};

LaserTag::LaserTag(Options options)
    : options_(std::move(options)),
      obstacle_(kCells, 0),
      after_(kCells * 4),
      values_(std::make_shared<Values>()) {
  for (const auto& [x, y] : options_.obstacles) {
    if (x < 1 || y < 1 || x > kWidth || y > kHeight)
      throw Error(fmt::format("{}: the obstacle ({},{}) is outside; cells go from (1,1) to ({},{})",
                              options_.name, x, y, kWidth, kHeight));
    obstacle_[(y - 1) * kWidth + x - 1] = 1;
  }
  for (int cell = 0; cell < kCells; ++cell) {
    if (options_.start_anywhere || !obstacle_[cell])
      start_cells_.push_back(static_cast<uint8_t>(cell));
    for (int d = 0; d < 4; ++d)
      after_[cell * 4 + d] = static_cast<uint8_t>(moved(cell, kDx[d], kDy[d]));
  }
  if (start_cells_.empty()) throw Error(options_.name + ": no cell is free");
  measure_beams();
}

void LaserTag::measure_beams() {
  beam_cells_.resize(size_t(kCells) * kCells * kBeams);
  for (int robot = 0; robot < kCells; ++robot)
    for (int opponent = 0; opponent < kCells; ++opponent)
      for (int beam = 0; beam < kBeams; ++beam) {
        int x = x_of(robot), y = y_of(robot), cells = 0;
        do {
          x += kDx[beam];
          y += kDy[beam];
          ++cells;
        } while (is_free(x, y) && y * kWidth + x != opponent);
        beam_cells_[(robot * kCells + opponent) * kBeams + beam] = static_cast<uint8_t>(cells);
      }
  // A reading is the whole part of d - |N(0, noise)|, or 0 where that is negative.
  below_.assign(2 * (kWidth + 1) * (kReadings + 1), 1);
  for (int diagonal = 0; diagonal < 2; ++diagonal)
    for (int cells = 1; cells <= kWidth; ++cells) {
      const double d = cells * (diagonal ? std::numbers::sqrt2 : 1.0);
      double* out = &below_[(diagonal * (kWidth + 1) + cells) * (kReadings + 1)];
      out[0] = 0;
      for (int r = 1; r <= kReadings; ++r)
        out[r] = r >= d ? 1 : 2 * normal_cdf((r - d) / options_.noise);
    }
}

Facts LaserTag::facts() const {
  Facts f;
  f.name = options_.name;
  f.discount = options_.discount;
  f.num_actions = kNumActions;
  f.action_names = {"north", "east", "south", "west", "tag"};
  f.min_reward = kMissReward;
  f.max_reward = kTagReward;
  return f;
}

LaserTag::State LaserTag::sample_initial(Rng& rng) const {
  const auto n = static_cast<uint32_t>(start_cells_.size());
  const uint8_t robot = start_cells_[rng.below(n)];
  return {robot, start_cells_[rng.below(n)], 0};
}

std::vector<LaserTag::Move> LaserTag::opponent_moves(int robot, int opponent) const {
  std::vector<Move> moves;
  auto add = [&](int dx, int dy, double p) {
    moves.push_back({static_cast<uint8_t>(moved(opponent, dx, dy)), p});
  };
  const int dx = x_of(opponent) - x_of(robot), dy = y_of(opponent) - y_of(robot);
  if (dx <= 0) add(-1, 0, dx ? 0.4 : 0.2);
  if (dx >= 0) add(1, 0, dx ? 0.4 : 0.2);
  if (dy <= 0) add(0, -1, dy ? 0.4 : 0.2);
  if (dy >= 0) add(0, 1, dy ? 0.4 : 0.2);
  add(0, 0, 0.2);
  return moves;
}

Outcome<LaserTag::State, LaserTag::Observation> LaserTag::step(const State& s, int action,
                                                               Rng& rng) const {
  State next = s;
  float reward = kMoveReward;
  if (action == kTag && s.robot == s.opponent) {
    next.tagged = 1;
    reward = kTagReward;
  } else {
    if (action == kTag) reward = kMissReward;
    next.robot = static_cast<uint8_t>(robot_after(s.robot, action));
    // Away from where the robot was; on the same row or column to either side.
    const double u = rng.uniform();
    auto away = [](int offset, bool first) {
      return offset ? (offset > 0 ? 1 : -1) : first ? -1 : 1;
    };
    if (u < 0.4)
      next.opponent = static_cast<uint8_t>(
          moved(s.opponent, away(x_of(s.opponent) - x_of(s.robot), u < 0.2), 0));
    else if (u < 0.8)
      next.opponent = static_cast<uint8_t>(
          moved(s.opponent, 0, away(y_of(s.opponent) - y_of(s.robot), u < 0.6)));
  }
  Observation seen;
  seen.fill(-1);
  if (next.robot == next.opponent) return {next, seen, reward};
  for (int beam = 0; beam < kBeams; ++beam) {
    const double* table = below(beam >= 4, beam_cells(next, beam));
    const double u = rng.uniform();
    int reading = 0;
    while (table[reading + 1] <= u) ++reading;
    seen[beam] = static_cast<float>(reading);
  }
  return {next, seen, reward};
}

double LaserTag::reading_probability(bool diagonal, int cells, int reading) const {
  if (reading < 0 || reading >= kReadings) return 0;
  const double* table = below(diagonal, cells);
  return table[reading + 1] - table[reading];
}

double LaserTag::likelihood(const Observation& seen, int, const State& next) const {
  const bool together = next.robot == next.opponent;
  double product = 1;
  for (int beam = 0; beam < kBeams; ++beam) {
    if (together) {
      if (seen[beam] != -1) return 0;
      continue;
    }
    if (!(seen[beam] >= 0)) return 0;
    const int reading = static_cast<int>(std::min(seen[beam], 1e6f));
    if (static_cast<float>(reading) != seen[beam]) return 0;
    product *= reading_probability(beam >= 4, beam_cells(next, beam), reading);
  }
  return product;
}

double LaserTag::cumulative(float bound, int coordinate, int, const State& next) const {
  if (next.robot == next.opponent) return bound >= -1;
  if (bound < 0) return 0;
  if (bound >= kReadings - 1) return 1;
  const int reading = static_cast<int>(bound);
  return below(coordinate >= 4, beam_cells(next, coordinate))[reading + 1];
}

double LaserTag::mdp_value(const State& s) const {
  if (s.tagged) return 0;
  std::call_once(values_->once, [&] {
    std::vector<double>& value = values_->value;
    value.assign(kCells * kCells, kTagReward);
    // From above every sweep is an upper bound, however early it ends.
    constexpr int kMostSweeps = 5000;
    double change = 1;
    for (int sweep = 0; sweep < kMostSweeps && change > 1e-9; ++sweep) {
      change = 0;
      for (int robot = 0; robot < kCells; ++robot)
        for (int opponent = 0; opponent < kCells; ++opponent) {
          if (robot == opponent) continue;  // tag at once: nothing is better
          const std::vector<Move> moves = opponent_moves(robot, opponent);
          double best = -1e9;
          for (int a = 0; a < kNumActions; ++a) {
            const int to = robot_after(robot, a);
            double q = 0;
            for (const Move& m : moves) q += m.probability * value[to * kCells + m.cell];
            q = (a == kTag ? kMissReward : kMoveReward) + options_.discount * q;
            best = std::max(best, q);
          }
          double& v = value[robot * kCells + opponent];
          change = std::max(change, v - best);
          v = std::min(v, best);
        }
    }
  });
  return values_->value[s.robot * kCells + s.opponent];
}

void LaserTag::encode(const State& s, FeatureRow row) const {
  const int dx = x_of(s.opponent) - x_of(s.robot) + kWidth - 1;
  const int dy = y_of(s.opponent) - y_of(s.robot) + kHeight - 1;
  row.category[0] = s.robot;
  row.category[1] = s.opponent;
  row.category[2] = dy * (2 * kWidth - 1) + dx;
}

// One of the two steps aside, if it can.
LaserTag::State LaserTag::perturb(const State& s, Rng& rng) const {
  State out = s;
  uint8_t& who = rng.bernoulli(0.5) ? out.robot : out.opponent;
  who = after_[who * 4 + rng.below(4)];
  return out;
}

Scene LaserTag::scene() const {
  Scene out{"laser-tag", {"robot x", "robot y", "opponent x", "opponent y", "tagged"}, 4, {}};
  std::vector<float> obstacles;
  for (const auto& [x, y] : options_.obstacles)
    obstacles.insert(obstacles.end(), {static_cast<float>(x), static_cast<float>(y)});
  out.setting = {{"size", {kWidth, kHeight}}, {"obstacles", std::move(obstacles)}};
  return out;
}

void LaserTag::scene_values(const State& s, std::span<float> out) const {
  out[0] = static_cast<float>(x_of(s.robot) + 1);
  out[1] = static_cast<float>(y_of(s.robot) + 1);
  out[2] = static_cast<float>(x_of(s.opponent) + 1);
  out[3] = static_cast<float>(y_of(s.opponent) + 1);
  out[4] = s.tagged;
}

std::string LaserTag::draw(const State& s) const {
  std::string out;
  for (int y = kHeight - 1; y >= 0; --y) {
    for (int x = 0; x < kWidth; ++x) {
      const int cell = y * kWidth + x;
      const bool robot = cell == s.robot, opponent = cell == s.opponent;
      out += robot && opponent ? (s.tagged ? 'X' : '&')
             : robot           ? '@'
             : opponent        ? 'o'
             : obstacle_[cell] ? '#'
                               : '.';
    }
    out += '\n';
  }
  return out;
}

std::string LaserTag::describe_state(const State& s) const {
  return fmt::format("robot ({}, {}), opponent ({}, {}){}", x_of(s.robot) + 1, y_of(s.robot) + 1,
                     x_of(s.opponent) + 1, y_of(s.opponent) + 1, s.tagged ? ", tagged" : "");
}

std::unique_ptr<Pomdp> make_laser_tag(Params& p) {
  LaserTag::Options o;
  const bool fixed =
      p.word("map", {"random", "emu4"}, "drawn by map_seed, or a map of LaserTag.jl") == "emu4";
  const uint64_t seed = p.seed("map_seed", 1, "which random map");
  const int obstacles = p.integer("obstacles", 8, 0, 60, "on a random map");
  o.start_anywhere = p.word("start", {"free", "all"},
                            "cells to start on; all: obstacles too, as in LaserTag.jl") == "all";
  o.noise = p.real("noise", 2.5, 1e-3, 1000, "deviation of a laser, in cells");
  o.discount = p.real("discount", 0.95, 0, 0.999999, "gamma");
  if (fixed) {
    for (const char* name : {"map_seed", "obstacles"})
      if (p.given(name))
        throw Error(fmt::format("laser-tag: map=emu4 leaves no room for {}", name));
    o.obstacles = {{5, 7}, {2, 6}, {4, 3}, {3, 2}, {4, 2}, {8, 2}, {10, 2}, {4, 1}};
  } else {
    std::vector<int> cells(LaserTag::kCells);
    for (int i = 0; i < LaserTag::kCells; ++i) cells[i] = i;
    Rng rng(RngKey::from_seed(seed).fold("laser-tag map"), 0);
    for (int i = 0; i < obstacles; ++i) {
      std::swap(cells[i], cells[i + rng.below(static_cast<uint32_t>(LaserTag::kCells - i))]);
      o.obstacles.emplace_back(cells[i] % LaserTag::kWidth + 1, cells[i] / LaserTag::kWidth + 1);
    }
  }
  o.name = p.canonical();
  return adapt(LaserTag(std::move(o)));
}

}  // namespace penumbra
