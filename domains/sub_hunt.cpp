#include "domains/sub_hunt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numbers>

namespace penumbra {
namespace {
constexpr int kDx[] = {0, 1, 0, -1}, kDy[] = {1, 0, -1, 0};

uint8_t inside(int x) {
  return static_cast<uint8_t>(std::clamp(x, 1, SubHunt::kSize));
}
}  // namespace

// By what is the same for all goals: progress along the way and place across it, of both boats.
struct SubHunt::Values {
  std::once_flag once;
  std::vector<float> value;  // [aware][target along][target across][own along][own across]

  static size_t index(int aware, int along, int across, int own_along, int own_across) {
    size_t i = aware;
    for (int x : {along, across, own_along, own_across}) i = i * kSize + (x - 1);
    return i;
  }
  static int along(int goal, int x, int y) {
    return goal == kNorth ? y : goal == kEast ? x : goal == kSouth ? kSize + 1 - y : kSize + 1 - x;
  }
  static int across(int goal, int x, int y) { return goal == kNorth || goal == kSouth ? x : y; }
};

SubHunt::SubHunt(Options options)
    : options_(std::move(options)), values_(std::make_shared<Values>()) {}

Facts SubHunt::facts() const {
  Facts f;
  f.name = options_.name;
  f.discount = options_.discount;
  f.num_actions = kNumActions;
  f.action_names = {"north", "east", "south", "west", "ping", "engage"};
  f.max_reward = kKillReward;
  return f;
}

SubHunt::State SubHunt::sample_initial(Rng& rng) const {
  State s{};
  s.own_x = s.own_y = kSize / 2;
  s.goal = static_cast<uint8_t>(rng.below(4));
  const auto side = static_cast<uint8_t>(1 + rng.below(kSize));
  const bool along_x = s.goal == kEast || s.goal == kWest;
  const uint8_t opposite = s.goal == kNorth || s.goal == kEast ? 1 : kSize;
  s.target_x = along_x ? opposite : side;
  s.target_y = along_x ? side : opposite;
  return s;
}

bool SubHunt::at_goal(const State& s) {
  return Values::along(s.goal, s.target_x, s.target_y) == kSize;
}

SubHunt::State SubHunt::own_after(const State& s, int action) {
  State next = s;
  if (action == kPing) next.aware = 1;
  if (action >= kPing) return next;
  next.own_x = inside(s.own_x + kSpeed * kDx[action]);
  next.own_y = inside(s.own_y + kSpeed * kDy[action]);
  return next;
}

SubHunt::State SubHunt::target_after(const State& s, int way) {
  const int side = way == 0 ? s.goal : (s.goal + (way == 1 ? 3 : 1)) % 4;  // straight, left, right
  State next = s;
  next.target_x = inside(s.target_x + kDx[s.goal] + kDx[side]);
  next.target_y = inside(s.target_y + kDy[s.goal] + kDy[side]);
  return next;
}

Outcome<SubHunt::State, SubHunt::Observation> SubHunt::step(const State& s, int action,
                                                            Rng& rng) const {
  const double hit = rng.uniform(), turn = rng.uniform();
  State next = own_after(s, action);
  float reward = 0;
  if (action == kEngage && hit < kill_probability(s)) {
    next.killed = 1;
    reward = kKillReward;
  } else {
    next = target_after(next, turn < 0.5 ? 0 : turn < 0.75 ? 1 : 2);
  }
  const Hearing h = hearing(action, next);
  Observation seen;
  for (int i = 0; i < kBeams; ++i)
    seen[i] = static_cast<float>(i == h.beam ? rng.normal(h.mean, h.deviation)
                                             : rng.normal(h.other_mean, h.other_deviation));
  return {next, seen, reward};
}

int SubHunt::beam_at(int dx, int dy) {
  double angle = std::atan2(dy, dx);
  if (angle <= 0) angle += 2 * std::numbers::pi;
  return std::clamp(static_cast<int>(std::ceil(kBeams * angle / (2 * std::numbers::pi))), 1,
                    kBeams) -
         1;
}

SubHunt::Hearing SubHunt::hearing(int action, const State& next) const {
  const int dx = next.target_x - next.own_x, dy = next.target_y - next.own_y;
  const double distance = std::sqrt(dx * dx + dy * dy);
  if (action == kPing)
    return {beam_at(dx, dy), distance, options_.active_std, kSize, options_.active_std};
  Hearing h{-1, 0, 1, kDetectRadius, options_.passive_std};
  if (distance <= kDetectRadius) {
    h.beam = beam_at(dx, dy);
    h.mean = distance;
    h.deviation = options_.detected_std;
  }
  return h;
}

double SubHunt::likelihood(const Observation& seen, int action, const State& next) const {
  const Hearing h = hearing(action, next);
  double squares = 0, scale = 1;
  for (int i = 0; i < kBeams; ++i) {
    const double deviation = i == h.beam ? h.deviation : h.other_deviation;
    const double z = (seen[i] - (i == h.beam ? h.mean : h.other_mean)) / deviation;
    squares += z * z;
    scale *= deviation * 2.5066282746310002;
  }
  return std::exp(-0.5 * squares) / scale;
}

double SubHunt::cumulative(float bound, int coordinate, int action, const State& next) const {
  const Hearing h = hearing(action, next);
  return coordinate == h.beam ? normal_cdf((double(bound) - h.mean) / h.deviation)
                              : normal_cdf((double(bound) - h.other_mean) / h.other_deviation);
}

// A target that does not know is never worth less, so that a ping is worth no more than to wait.
void SubHunt::fill_values() const {
  std::vector<float>& value = values_->value;
  value.assign(2 * kSize * kSize * kSize * kSize, 0.0f);
  for (int along = kSize - 1; along >= 1; --along)
    for (int aware = 0; aware < 2; ++aware)
      for (int across = 1; across <= kSize; ++across)
        for (int own_along = 1; own_along <= kSize; ++own_along)
          for (int own_across = 1; own_across <= kSize; ++own_across) {
            auto later = [&](int u, int v) {
              auto at = [&](int x, int y) {
                return double(
                    value[Values::index(aware, inside(x), inside(y), inside(u), inside(v))]);
              };
              return options_.discount * (kWayProbability[0] * at(along + 2, across) +
                                          kWayProbability[1] * at(along + 1, across - 1) +
                                          kWayProbability[2] * at(along + 1, across + 1));
            };
            const double wait = later(own_along, own_across);
            double best = wait;
            for (int d = 0; d < 4; ++d)
              best =
                  std::max(best, later(own_along + kSpeed * kDx[d], own_across + kSpeed * kDy[d]));
            const int du = along - own_along, dv = across - own_across;
            if (du * du + dv * dv <= kKillRadius * kKillRadius) {
              const double p = aware ? options_.p_aware_kill : 1;
              best = std::max(best, p * kKillReward + (1 - p) * wait);
            }
            value[Values::index(aware, along, across, own_along, own_across)] =
                static_cast<float>(best);
          }
}

double SubHunt::mdp_value(const State& s) const {
  if (is_terminal(s)) return 0;
  std::call_once(values_->once, [&] { fill_values(); });
  return values_->value[Values::index(s.aware, Values::along(s.goal, s.target_x, s.target_y),
                                      Values::across(s.goal, s.target_x, s.target_y),
                                      Values::along(s.goal, s.own_x, s.own_y),
                                      Values::across(s.goal, s.own_x, s.own_y))];
}

void SubHunt::encode(const State& s, FeatureRow row) const {
  constexpr float kHalf = kSize / 2.0f;
  const auto dx = static_cast<float>(s.target_x - s.own_x);
  const auto dy = static_cast<float>(s.target_y - s.own_y);
  row.category[0] = s.goal;
  row.set_bit(0, s.aware);
  row.set_bit(1, in_range(s));
  row.dense[0] = s.own_x / kHalf - 1;
  row.dense[1] = s.own_y / kHalf - 1;
  row.dense[2] = s.target_x / kHalf - 1;
  row.dense[3] = s.target_y / kHalf - 1;
  row.dense[4] = dx / kHalf;
  row.dense[5] = dy / kHalf;
  row.dense[6] = std::hypot(dx, dy) / kHalf;
}

// The target a cell aside, but not into its goal.
SubHunt::State SubHunt::perturb(const State& s, Rng& rng) const {
  const uint32_t d = rng.below(4);
  State out = s;
  out.target_x = inside(s.target_x + kDx[d]);
  out.target_y = inside(s.target_y + kDy[d]);
  return at_goal(out) ? s : out;
}

Scene SubHunt::scene() const {
  return {"sub-hunt",
          {"own x", "own y", "target x", "target y", "goal", "aware", "killed"},
          4,
          {{"size", {kSize}}, {"radius", {kKillRadius, kDetectRadius}}}};
}

void SubHunt::scene_values(const State& s, std::span<float> out) const {
  const uint8_t values[] = {s.own_x, s.own_y, s.target_x, s.target_y, s.goal, s.aware, s.killed};
  std::copy(std::begin(values), std::end(values), out.begin());
}

std::string SubHunt::draw(const State& s) const {
  std::string out;
  for (int y = kSize; y >= 1; --y) {
    for (int x = 1; x <= kSize; ++x) {
      const bool own = x == s.own_x && y == s.own_y;
      const bool target = x == s.target_x && y == s.target_y;
      out += own && target ? (s.killed ? 'X' : '&')
             : own         ? '@'
             : target      ? (s.killed ? 'X' : "^>v<"[s.goal])
                           : '.';
    }
    out += '\n';
  }
  return out;
}

std::string SubHunt::describe_state(const State& s) const {
  static constexpr const char* kGoals[] = {"north", "east", "south", "west"};
  return fmt::format("own ({}, {}), target ({}, {}) to the {}{}{}", s.own_x, s.own_y, s.target_x,
                     s.target_y, kGoals[s.goal], s.aware ? ", aware" : "",
                     s.killed ? ", killed" : "");
}

std::unique_ptr<Pomdp> make_sub_hunt(Params& p) {
  SubHunt::Options o;
  o.p_aware_kill = p.real("p_aware_kill", 0.6, 0, 1, "chance to hit a target that knows");
  o.passive_std = p.real("passive_std", 5, 1e-3, 1000, "deviation of beams that hear nothing");
  o.detected_std = p.real("detected_std", 0.5, 1e-3, 1000, "of the beam that hears the target");
  o.active_std = p.real("active_std", 0.5, 1e-3, 1000, "of all beams after a ping");
  o.discount = p.real("discount", 0.99, 0, 0.999999, "gamma");
  o.name = p.canonical();
  return adapt(SubHunt(std::move(o)));
}

}  // namespace penumbra
