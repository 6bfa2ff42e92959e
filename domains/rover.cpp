#include "domains/rover.h"

#include <fmt/format.h>

namespace penumbra {

Facts Rover::facts() const {
  Facts f;
  f.name = name;
  f.discount = discount;
  f.num_actions = 6;
  f.num_observations = 2 * num_rooms + 2;
  f.min_reward = std::min(empty_reward, bad_reward);
  f.max_reward = std::max({0.0f, good_reward, exit_reward});
  f.action_names = {"north", "east", "south", "west", "check", "pick"};
  for (int r = 0; r < num_rooms; ++r) {
    f.observation_names.push_back(fmt::format("room{}", r + 1));
    f.observation_names.push_back(fmt::format("room{}-wall", r + 1));
  }
  f.observation_names.push_back("bad");
  f.observation_names.push_back("good");
  return f;
}

Rover::State Rover::sample_initial(Rng& rng) const {
  State s{};
  s.x = static_cast<float>(rng.uniform(0.5, 1.5));
  s.y = static_cast<float>(rng.uniform(1, 3));
  for (int r = 0; r < num_rooms; ++r)
    s.good = static_cast<uint16_t>(s.good | (rng.bernoulli(prior_good) ? 1 << r : 0));
  return s;
}

Outcome<Rover::State, int> Rover::step(const State& s, int action, Rng& rng) const {
  static constexpr float kDx[] = {0, 1, 0, -1}, kDy[] = {1, 0, -1, 0};
  const auto drift_x = static_cast<float>(rng.normal(0, noise));
  const auto drift_y = static_cast<float>(rng.normal(0, noise));
  const bool right = rng.uniform() < accuracy(s);
  State next = s;
  if (action == kCheck) {
    const bool good = s.good >> s.room & 1;
    return {next, good == right ? seen_good() : seen_bad(), 0};
  }
  if (action == kPick) {
    const bool good = s.good >> s.room & 1, reached = distance(s) <= kReach;
    if (reached) next.good = static_cast<uint16_t>(next.good & ~(1 << s.room));
    return {next, place_seen(next), !reached ? empty_reward : good ? good_reward : bad_reward};
  }
  next.y = std::clamp(s.y + kDy[action] + drift_y, 0.0f, kSide);
  float x = s.x + kDx[action] + drift_x;
  const bool at_door = std::abs(next.y - kSide / 2) < kDoorHalf;
  if (at_door && x > kSide) {
    ++next.room;
    x -= kSide;
  } else if (at_door && x < 0 && s.room > 0) {
    --next.room;
    x += kSide;
  }
  next.x = std::clamp(x, 0.0f, kSide);
  return {next, place_seen(next), is_terminal(next) ? exit_reward : 0};
}

double Rover::likelihood(int seen, int action, const State& next) const {
  if (action != kCheck) return seen == place_seen(next);
  const double right = accuracy(next);
  const bool good = next.good >> next.room & 1;
  return seen == seen_good()  ? (good ? right : 1 - right)
         : seen == seen_bad() ? (good ? 1 - right : right)
                              : 0;
}

// An upper bound: every stone and the exit as if it were alone, reached along x without a thought
// of y. A way of L along x takes a random time t, and discount^t exp(rate * (way so far)) is a
// martingale for this rate, so that E[discount^t] <= exp(-rate * L).
double Rover::mdp_value(const State& s) const {
  if (is_terminal(s)) return 0;
  const double loss = -std::log(std::max(discount, 1e-9)), v = noise * noise;
  const double rate = v > 0 ? (std::sqrt(1 + 2 * v * loss) - 1) / v : loss;
  auto along = [&](int room, float x) { return double(kSide) * room + x; };
  const double here = along(s.room, s.x);
  // The reward of the exit comes with the last move, not after it.
  const double exit = along(num_rooms, 0) - here;
  double value = exit_reward * std::min(1.0, std::exp(loss - rate * exit));
  for (int r = 0; r < num_rooms; ++r) {
    const double way = std::abs(along(r, kStones[r].x) - here) - kReach;
    if (s.good >> r & 1) value += good_reward * std::exp(-rate * std::max(0.0, way));
  }
  return value;
}

void Rover::encode(const State& s, FeatureRow row) const {
  row.category[0] = s.room;
  for (int r = 0; r < num_rooms; ++r) row.set_bit(r, s.good >> r & 1);
  row.dense[0] = s.x / 2 - 1;
  row.dense[1] = s.y / 2 - 1;
  row.dense[2] = is_terminal(s) ? 0 : static_cast<float>(distance(s)) / 2;
}

// A wall that is touched stays touched: it has been felt.
Rover::State Rover::perturb(const State& s, Rng& rng) const {
  State moved = s;
  for (float* x : {&moved.x, &moved.y}) {
    const float to = *x + static_cast<float>(rng.normal(0, 0.05));
    if (*x > 0 && *x < kSide && to > 0 && to < kSide) *x = to;
  }
  return moved;
}

Scene Rover::scene() const {
  Scene out{"rover", {"x", "y", "room"}, 2, {}};
  for (int r = 0; r < num_rooms; ++r) out.fields.push_back(fmt::format("stone{}", r + 1));
  std::vector<float> stones;
  for (int r = 0; r < num_rooms; ++r) stones.insert(stones.end(), {kStones[r].x, kStones[r].y});
  out.setting = {{"side", {kSide}}, {"stones", std::move(stones)}};
  return out;
}

void Rover::scene_values(const State& s, std::span<float> out) const {
  out[0] = s.x;
  out[1] = s.y;
  out[2] = s.room;
  for (int r = 0; r < num_rooms; ++r) out[3 + r] = static_cast<float>(s.good >> r & 1);
}

std::string Rover::describe_state(const State& s) const {
  if (is_terminal(s)) return "left";
  std::string stones;
  for (int r = 0; r < num_rooms; ++r) stones += s.good >> r & 1 ? '+' : '-';
  return fmt::format("room {}, ({:.2f}, {:.2f}), stones {}", s.room + 1, s.x, s.y, stones);
}

std::unique_ptr<Pomdp> make_rover(Params& p) {
  Rover m;
  m.num_rooms = p.integer("rooms", 3, 1, Rover::kMostRooms, "in a row, a stone in each");
  m.noise = p.real("noise", 0.2, 0, 2, "deviation of a move, each way");
  m.half_distance =
      p.real("half_distance", 1, 1e-3, 1e3, "at which half of what a check tells is lost");
  m.prior_good = p.real("prior_good", 0.5, 0, 1, "chance that a stone is good");
  m.discount = p.real("discount", 0.95, 0, 0.999999, "gamma");
  m.name = p.canonical();
  return adapt(m);
}

}  // namespace penumbra
