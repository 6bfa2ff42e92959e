#include "domains/rock_sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>

#include "penumbra/base/error.h"

namespace penumbra {

// values[r][S without bit r]: the best return from the cell of rock r when the rocks of S are good.
template <class Bits>
struct RockSampleOf<Bits>::SubsetValues {
  std::once_flag once;
  std::vector<float> power;                // discount^d
  std::vector<std::vector<float>> values;  // one array per rock

  static uint32_t squeeze(uint32_t subset, int rock) {
    const uint32_t low = (1u << rock) - 1;
    return (subset & low) | (subset >> 1 & ~low);
  }
};

template <class Bits>
RockSampleOf<Bits>::RockSampleOf(Options options)
    : options_(std::move(options)),
      n_(options_.n),
      num_rocks_(static_cast<int>(options_.rocks.size())),
      quiet_(options_.rules == Rules::kClassic ? kGood : kNone),
      step_penalty_(static_cast<float>(options_.step_penalty)),
      check_penalty_(static_cast<float>(options_.check_penalty)),
      illegal_penalty_(static_cast<float>(options_.illegal_penalty)),
      good_reward_(static_cast<float>(options_.good_reward)),
      bad_reward_(static_cast<float>(options_.bad_reward)),
      exit_reward_(static_cast<float>(options_.exit_reward)),
      rock_at_(n_ * n_, -1),
      accuracy_(size_t(n_) * n_ * num_rocks_),
      subset_values_(std::make_shared<SubsetValues>()) {
  if (num_rocks_ > kMostRocks)
    throw Error(fmt::format("{}: at most {} rocks are supported", options_.name, kMostRocks));
  auto inside = [&](std::pair<int, int> c) {
    return c.first >= 1 && c.first <= n_ && c.second >= 1 && c.second <= n_;
  };
  if (!inside(options_.start))
    throw Error(
        fmt::format("{}: the start ({},{}) is outside the grid; cells go from (1,1) to "
                    "({},{})",
                    options_.name, options_.start.first, options_.start.second, n_, n_));
  for (int r = 0; r < num_rocks_; ++r) {
    const auto [x, y] = options_.rocks[r];
    if (!inside({x, y}))
      throw Error(
          fmt::format("{}: rock {} at ({},{}) is outside the grid; cells go from (1,1) to "
                      "({},{})",
                      options_.name, r + 1, x, y, n_, n_));
    int8_t& here = rock_at_[(y - 1) * n_ + x - 1];
    if (here >= 0) throw Error(fmt::format("{}: two rocks at ({},{})", options_.name, x, y));
    here = static_cast<int8_t>(r);
    for (int cy = 1; cy <= n_; ++cy)
      for (int cx = 1; cx <= n_; ++cx) {
        const double distance = std::hypot(cx - x, cy - y);
        accuracy_[((cy - 1) * n_ + cx - 1) * num_rocks_ + r] =
            static_cast<float>(0.5 * (1 + std::exp2(-distance / options_.half_distance)));
      }
  }
  if (num_rocks_ > kMaxSubsetRocks)
    tour_bound_ = std::make_shared<RockTourBound>(
        n_, options_.rocks,
        RockTourBound::Rewards{options_.good_reward, options_.exit_reward, options_.discount});
}

template <class Bits>
Facts RockSampleOf<Bits>::facts() const {
  Facts f;
  f.name = options_.name;
  f.discount = options_.discount;
  f.num_actions = kCheck + num_rocks_;
  f.num_observations = options_.rules == Rules::kClassic ? 2 : 3;
  f.action_names = {"sample", "north", "east", "south", "west"};
  for (int r = 1; r <= num_rocks_; ++r) f.action_names.push_back(fmt::format("check{}", r));
  f.observation_names = {"good", "bad", "none"};
  f.observation_names.resize(f.num_observations);
  const auto& o = options_;
  const double illegal = o.rules == Rules::kModern ? 0 : o.illegal_penalty;
  f.max_reward = o.step_penalty + std::max({0.0, o.good_reward, o.bad_reward, o.exit_reward});
  f.min_reward = o.step_penalty + std::min({0.0, o.good_reward, o.bad_reward, o.exit_reward,
                                            o.check_penalty, illegal});
  return f;
}

template <class Bits>
typename RockSampleOf<Bits>::State RockSampleOf<Bits>::sample_initial(Rng& rng) const {
  State s{static_cast<Coordinate>(options_.start.first),
          static_cast<Coordinate>(options_.start.second), 0};
  if (options_.prior_good == 0.5) {
    const Bits all = num_rocks_ == kMostRocks ? ~Bits{0} : (Bits{1} << num_rocks_) - 1;
    for (int word = 0; word < num_rocks_ || word == 0; word += 32)
      s.rocks |= Bits{rng.bits32()} << word;
    s.rocks &= all;
  } else {
    for (int r = 0; r < num_rocks_; ++r) s.rocks |= Bits{rng.bernoulli(options_.prior_good)} << r;
  }
  return s;
}

template <class Bits>
double RockSampleOf<Bits>::mdp_value(const State& s) const {
  if (s.x == 0) return 0;
  if (tour_bound_) return tour_bound_->value(s.x, s.y, s.rocks);
  SubsetValues& table = *subset_values_;
  const auto& rocks = options_.rocks;
  const double gamma = options_.discount;
  const int k = num_rocks_;
  std::call_once(table.once, [&] {
    table.power.resize(2 * n_ + 2);
    for (size_t d = 0; d < table.power.size(); ++d)
      table.power[d] = static_cast<float>(std::pow(gamma, double(d)));
    if (k == 0) return;
    table.values.assign(k, std::vector<float>(size_t{1} << (k - 1)));
    std::vector<float> hop(k * k);  // discount^(distance from rock to rock)
    for (int a = 0; a < k; ++a)
      for (int b = 0; b < k; ++b)
        hop[a * k + b] = table.power[std::abs(rocks[a].first - rocks[b].first) +
                                     std::abs(rocks[a].second - rocks[b].second)];
    const uint32_t full = (1u << k) - 1;
    std::vector<float> after(k);
    for (uint32_t subset = 0;; ++subset) {
      for (uint32_t rest = subset; rest; rest &= rest - 1) {
        const int b = std::countr_zero(rest);
        const float v = table.values[b][SubsetValues::squeeze(subset & ~(1u << b), b)];
        after[b] = good_reward_ + static_cast<float>(gamma) * v;
      }
      for (uint32_t out = full & ~subset; out; out &= out - 1) {
        const int a = std::countr_zero(out);
        float best = exit_reward_ * table.power[n_ - rocks[a].first];
        for (uint32_t rest = subset; rest; rest &= rest - 1) {
          const int b = std::countr_zero(rest);
          best = std::max(best, hop[a * k + b] * after[b]);
        }
        table.values[a][SubsetValues::squeeze(subset, a)] = best;
      }
      if (subset == full) break;
    }
  });
  const double leave = options_.exit_reward * table.power[n_ - s.x];
  auto distance = [&](int r) {
    return std::abs(rocks[r].first - s.x) + std::abs(rocks[r].second - s.y);
  };
  double best = leave;
  const auto good = static_cast<uint32_t>(s.rocks);
  for (uint32_t rest = good; rest; rest &= rest - 1) {
    const int r = std::countr_zero(rest);
    const double after = table.values[r][SubsetValues::squeeze(good & ~(1u << r), r)];
    best = std::max(best, table.power[distance(r)] * (options_.good_reward + gamma * after));
  }
  return best;
}

template <class Bits>
Capabilities RockSampleOf<Bits>::withheld() const {
  const bool small = num_rocks_ < 20 && (long(n_) * n_ + 1) << num_rocks_ <= kMaxTableStates;
  return small ? Capabilities() : Capability::kTable;
}

// The position is the slow digit, the rocks are the fast ones; "gone" is a position too.
template <class Bits>
int RockSampleOf<Bits>::state_index(const State& s) const {
  const int position = s.x == 0 ? n_ * n_ : cell(s);
  return position << num_rocks_ | static_cast<int>(s.rocks);
}

template <class Bits>
Tabular RockSampleOf<Bits>::table() const {
  const Facts f = facts();
  const int cells = n_ * n_, num_hidden = 1 << num_rocks_;
  Tabular t;
  t.name = f.name;
  t.discount = f.discount;
  t.num_states = (cells + 1) * num_hidden;
  t.num_actions = f.num_actions;
  t.num_observations = f.num_observations;
  t.action_names = f.action_names;
  t.observation_names = f.observation_names;
  t.transition.resize(f.num_actions);
  t.observation.resize(f.num_actions);
  t.reward.assign(f.num_actions, std::vector<double>(t.num_states, 0.0));
  t.num_visible = cells + 1;
  t.variables = {{"robot", {}, true}};
  for (int c = 0; c < cells; ++c)
    t.variables[0].values.push_back(fmt::format("x{}y{}", c % n_ + 1, c / n_ + 1));
  t.variables[0].values.push_back("gone");
  for (int r = num_rocks_; r >= 1; --r)  // the lowest bit is the fastest
    t.variables.push_back({fmt::format("rock{}", r), {"bad", "good"}, false});
  t.visible.resize(t.num_states);
  t.terminal.resize(t.num_states);
  for (int i = 0; i < t.num_states; ++i) {
    t.visible[i] = i / num_hidden;
    t.terminal[i] = t.visible[i] == cells;
  }
  t.start.assign(t.num_states, 0.0);
  for (uint32_t rocks = 0; rocks < 1u << num_rocks_; ++rocks) {
    double p = 1;
    for (int r = num_rocks_ - 1; r >= 0; --r)
      p *= rocks >> r & 1 ? options_.prior_good : 1 - options_.prior_good;
    t.start[state_index({static_cast<Coordinate>(options_.start.first),
                         static_cast<Coordinate>(options_.start.second), rocks})] = p;
  }
  for (int a = 0; a < f.num_actions; ++a) fill_table(t, a);
  return t;
}

template <class Bits>
void RockSampleOf<Bits>::fill_table(Tabular& t, int a) const {
  Rng unused(RngKey{}, 0);  // transitions and rewards are deterministic
  SparseRows& transition = t.transition[a];
  SparseRows& observation = t.observation[a];
  transition.entries.reserve(t.num_states);
  for (int i = 0; i < t.num_states; ++i) {
    const int c = i >> num_rocks_;
    const uint32_t rocks = static_cast<uint32_t>(i) & ((1u << num_rocks_) - 1);
    if (t.terminal[i]) {
      transition.add(i, 1.0);
      observation.add(quiet_, 1.0);  // what leaving emits, as likelihood() says
    } else {
      const State s{static_cast<Coordinate>(c % n_ + 1), static_cast<Coordinate>(c / n_ + 1),
                    rocks};
      const auto outcome = step(s, a, unused);
      transition.add(state_index(outcome.next), 1.0);
      t.reward[a][i] = outcome.reward;
      for (int o = 0; o < t.num_observations; ++o)
        if (const double p = likelihood(o, a, s); p > 0) observation.add(o, p);
    }
    transition.end_row();
    observation.end_row();
  }
}

template <class Bits>
Scene RockSampleOf<Bits>::scene() const {
  Scene scene{"rock-sample", {"x", "y"}, 0, {}};
  std::vector<float> cells;
  for (int r = 0; r < num_rocks_; ++r) {
    scene.fields.push_back(fmt::format("rock{}", r + 1));
    cells.push_back(static_cast<float>(options_.rocks[r].first));
    cells.push_back(static_cast<float>(options_.rocks[r].second));
  }
  scene.setting = {{"n", {static_cast<float>(n_)}}, {"rocks", std::move(cells)}};
  return scene;
}

template <class Bits>
void RockSampleOf<Bits>::scene_values(const State& s, std::span<float> out) const {
  out[0] = s.x;
  out[1] = s.y;
  for (int r = 0; r < num_rocks_; ++r) out[2 + r] = s.rocks >> r & 1 ? 1.0f : 0.0f;
}

template <class Bits>
std::string RockSampleOf<Bits>::draw(const State& s) const {
  std::string text;
  for (int y = n_; y >= 1; --y) {
    for (int x = 1; x <= n_; ++x) {
      const int rock = rock_at(x, y);
      const bool robot = s.x == x && s.y == y;
      const char mark = rock < 0 ? '.' : s.x == 0 ? 'o' : (s.rocks >> rock & 1) ? '+' : '-';
      text += robot ? (rock < 0 ? "@" : (s.rocks >> rock & 1) ? "P" : "M") : std::string(1, mark);
      text += ' ';
    }
    text += "|\n";
  }
  return text;
}

template <class Bits>
std::string RockSampleOf<Bits>::describe_state(const State& s) const {
  if (s.x == 0) return "gone";
  std::string rocks;
  for (int r = 0; r < num_rocks_; ++r) rocks += s.rocks >> r & 1 ? '+' : '-';
  return fmt::format("at ({},{}) rocks {}", s.x, s.y, rocks);
}

template class RockSampleOf<uint32_t>;
template class RockSampleOf<uint64_t>;

namespace {

// Layouts that the literature shares, cells from (0, 0).
struct ClassicMap {
  const char* name;
  int n;
  int start_y;
  std::vector<std::pair<int, int>> rocks;
};
const std::vector<ClassicMap>& classic_maps() {
  static const std::vector<ClassicMap> maps = {
      {"4-4", 4, 2, {{3, 1}, {2, 1}, {1, 3}, {1, 0}}},
      {"5-5", 5, 2, {{2, 4}, {0, 4}, {3, 3}, {2, 2}, {4, 1}}},
      {"5-7", 5, 2, {{1, 0}, {2, 1}, {1, 2}, {2, 2}, {4, 2}, {0, 3}, {3, 4}}},
      {"7-8", 7, 3, {{2, 0}, {0, 1}, {3, 1}, {6, 3}, {2, 4}, {3, 4}, {5, 5}, {1, 6}}},
      {"10-10",
       10,
       5,
       {{0, 3}, {0, 7}, {1, 8}, {3, 3}, {3, 8}, {4, 3}, {5, 8}, {6, 1}, {9, 3}, {9, 9}}},
      {"11-11",
       11,
       5,
       {{0, 3}, {0, 7}, {1, 8}, {2, 4}, {3, 3}, {3, 8}, {4, 3}, {5, 8}, {6, 1}, {9, 3}, {9, 9}}},
      {"15-15",
       15,
       7,
       {{0, 4},
        {0, 11},
        {1, 8},
        {2, 4},
        {2, 12},
        {3, 9},
        {4, 3},
        {5, 14},
        {6, 0},
        {6, 8},
        {9, 3},
        {10, 2},
        {11, 7},
        {12, 12},
        {14, 9}}},
  };
  return maps;
}

// k distinct cells, uniformly from all: the first k of a shuffle.
std::vector<std::pair<int, int>> random_rocks(int n, int k, uint64_t seed) {
  std::vector<int> cells(n * n);
  for (int i = 0; i < n * n; ++i) cells[i] = i;
  Rng rng(RngKey::from_seed(seed).fold("rock-sample map"), 0);
  std::vector<std::pair<int, int>> rocks;
  for (int i = 0; i < k; ++i) {
    std::swap(cells[i], cells[i + rng.below(static_cast<uint32_t>(n * n - i))]);
    rocks.emplace_back(cells[i] % n + 1, cells[i] / n + 1);
  }
  return rocks;
}

}  // namespace

std::vector<MacroAction> rock_sample_macro_actions(const Facts& facts) {
  std::vector<MacroAction> macros;
  for (int cells : {2, 4, 8})
    for (int move : {RockSample::kNorth, RockSample::kEast, RockSample::kSouth, RockSample::kWest})
      macros.push_back(macro_sequence(fmt::format("{} x{}", facts.action_name(move), cells),
                                      std::vector<int>(cells, move)));
  return macros;
}

std::unique_ptr<Pomdp> make_rock_sample(Params& p) {
  RockSample::Options o;
  std::vector<std::string> maps = {"random"};
  for (const ClassicMap& m : classic_maps()) maps.push_back(m.name);
  const std::string map = p.word("map", maps, "rock positions: random, or a map of the literature");
  const ClassicMap* classic = nullptr;
  for (const ClassicMap& m : classic_maps())
    if (map == m.name) classic = &m;
  o.n = p.integer("n", classic ? classic->n : 7, 1, 1000, "side of the grid");
  const std::vector<std::pair<int, int>> listed = p.cells("rocks", "rock cells from (1,1)");
  int k = p.integer("k", 8, 0, WideRockSample::kMostRocks, "number of rocks of a random map");
  const uint64_t map_seed = p.seed("map_seed", 1, "which random map");
  if (classic && (p.given("rocks") || p.given("map_seed") || (p.given("n") && o.n != classic->n) ||
                  (p.given("k") && k != static_cast<int>(classic->rocks.size()))))
    throw Error("rock-sample: map=" + map + " fixes n, k and the rocks; leave them out");
  if (p.given("rocks") && (p.given("map_seed") || (p.given("k") && k != int(listed.size()))))
    throw Error("rock-sample: rocks=[...] fixes the map; leave out k and map_seed");
  if (classic) {
    for (auto [x, y] : classic->rocks) o.rocks.emplace_back(x + 1, y + 1);
    o.start = {1, classic->start_y + 1};
  } else if (p.given("rocks")) {
    o.rocks = listed;
  } else {
    if (!p.given("k")) k = std::min(k, o.n * o.n);
    if (k > o.n * o.n)
      throw Error(fmt::format("rock-sample: k={} rocks do not fit into {} cells", k, o.n * o.n));
    o.rocks = random_rocks(o.n, k, map_seed);
  }
  const auto start = p.cells("start", "the robot's first cell, as [(x,y)]");
  if (start.size() > 1) throw Error("rock-sample: start takes one cell, as start=[(1,1)]");
  if (!start.empty()) o.start = start[0];
  const std::string rules = p.word("rules", {"modern", "classic", "despot"},
                                   "bumping or sampling off a rock: nothing, or illegal_penalty "
                                   "and the end, or illegal_penalty");
  o.rules = rules == "modern"    ? RockSample::Rules::kModern
            : rules == "classic" ? RockSample::Rules::kClassic
                                 : RockSample::Rules::kDespot;
  o.half_distance =
      p.real("half_distance", 20, 1e-3, 1e9, "distance at which a check is worth half");
  o.prior_good = p.real("prior_good", 0.5, 0, 1, "probability that a rock is good");
  o.good_reward = p.real("good_reward", 10, 0, 1e6, "for sampling a good rock");
  o.bad_reward = p.real("bad_reward", -10, -1e6, 0, "for sampling a bad rock");
  o.exit_reward = p.real("exit_reward", 10, 0, 1e6, "for leaving on the east side");
  o.step_penalty = p.real("step_penalty", 0, -1e6, 0, "added to every step");
  o.check_penalty = p.real("check_penalty", 0, -1e6, 0, "for a check");
  o.illegal_penalty = p.real("illegal_penalty", -100, -1e6, 0, "under the rules that have one");
  o.discount = p.real("discount", 0.95, 0, 0.999999, "gamma");
  o.name = p.canonical();
  if (o.rocks.size() > RockSample::kMostRocks) return adapt(WideRockSample(std::move(o)));
  return adapt(RockSample(std::move(o)));
}

}  // namespace penumbra
