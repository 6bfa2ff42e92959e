#include "domains/pocman.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "penumbra/base/error.h"

namespace penumbra {
namespace {
constexpr int kDx[] = {0, 1, 0, -1}, kDy[] = {1, 0, -1, 0};
constexpr float kStepReward = -1, kWallReward = -25, kFoodReward = 10, kGhostReward = 25,
                kCaughtReward = -100, kClearReward = 1000;
constexpr double kChase = 0.75, kStumble = 0.25;
constexpr int kHearRange = 2;
}  // namespace

PocMan::Maze PocMan::full_maze() {
  return {{".................",   //
           ".##.###.#.###.##.",   //
           "o...............o",   //
           ".##.#.#####.#.##.",   //
           "....#...#...#....",   //
           "###.###.#.###.###",   //
           "###.#       #.###",   //
           "###.# #   # #.###",   //
           "   .# #   # #.   ",   //
           "###.# ##### #.###",   //
           "###.#       #.###",   //
           "###.#.#####.#.###",   //
           ".................",   //
           ".##.###.#.###.##.",   //
           "o.#...........#.o",   //
           "#.#.#.#####.#.#.#",   //
           "....#...#...#....",   //
           ".######.#.######.",   //
           "................."},  //
          8,
          6,
          8,
          10,
          10,
          4,
          6};
}

PocMan::Maze PocMan::mini_maze() {
  return {{"....##....",   //
           ".##.##.##.",   //
           ".#......#.",   //
           "...#..#...",   //
           ".#.#  #.#.",   //
           ".#.#  #.#.",   //
           "...####...",   //
           ".#......#.",   //
           ".##.##.##.",   //
           "....##...."},  //
          4,
          2,
          4,
          4,
          5,
          3,
          4};
}

PocMan::Maze PocMan::micro_maze() {
  return {{".......",   //
           "..#.#..",   //
           ".#...#.",   //
           "...#...",   //
           ".#...#.",   //
           "..#.#..",   //
           "......."},  //
          3,
          0,
          3,
          4,
          -1,
          1,
          3};
}

PocMan::PocMan(Options options) : options_(std::move(options)) {
  const Maze& maze = options_.maze;
  const int height = static_cast<int>(maze.rows.size());
  for (int y = 0; y < height; ++y) {
    const std::string& row = maze.rows[height - 1 - y];
    for (int x = 0; x < static_cast<int>(row.size()); ++x) {
      if (row[x] == '#') continue;
      Cell cell{x, y};
      cell.pill = row[x] == 'o';
      if (row[x] != ' ') {
        cell.food = num_food();
        food_cell_.push_back(static_cast<uint8_t>(num_cells()));
      }
      cells_.push_back(cell);
    }
  }
  PENUMBRA_CHECK(num_cells() <= 255 && num_food() <= 32 * kFoodWords, "the maze fits its numbers");
  start_ = cell_at(maze.start_x, maze.start_y);
  home_ = cell_at(maze.home_x, maze.home_y);
  measure();
  power_.resize(4 * num_cells());
  for (size_t t = 0; t < power_.size(); ++t) power_[t] = std::pow(options_.discount, double(t));
}

int PocMan::cell_at(int x, int y) const {
  for (int c = 0; c < num_cells(); ++c)
    if (cells_[c].x == x && cells_[c].y == y) return c;
  return -1;
}

int PocMan::manhattan(int a, int b) const {
  return std::abs(cells_[a].x - cells_[b].x) + std::abs(cells_[a].y - cells_[b].y);
}

void PocMan::measure() {
  const int n = num_cells(), width = static_cast<int>(options_.maze.rows[0].size());
  after_.assign(n * 4, -1);
  sight_.assign(n * n, -1);
  distance_.assign(n * n, -1);
  for (int c = 0; c < n; ++c) {
    Cell& cell = cells_[c];
    for (int d = 0; d < 4; ++d) {
      int x = cell.x + kDx[d];
      if (cell.y == options_.maze.passage) x = (x + width) % width;
      after_[c * 4 + d] = static_cast<int16_t>(cell_at(x, cell.y + kDy[d]));
      if (after_[c * 4 + d] >= 0) cell.walls_seen |= 1 << (4 + d);
      for (int k = 1, seen; (seen = cell_at(cell.x + k * kDx[d], cell.y + k * kDy[d])) >= 0; ++k)
        sight_[c * n + seen] = static_cast<int8_t>(d);
    }
    for (int f = 0; f < num_food(); ++f) {
      const Cell& there = cells_[food_cell_[f]];
      if (std::abs(there.x - cell.x) <= 1 && std::abs(there.y - cell.y) <= 1)
        cell.around[f >> 5] |= 1u << (f & 31);
    }
  }
  for (int c = 0; c < n; ++c) {  // breadth first
    std::vector<int> queue{c};
    distance_[c * n + c] = 0;
    for (size_t i = 0; i < queue.size(); ++i)
      for (int d = 0; d < 4; ++d)
        if (const int to = after(queue[i], d); to >= 0 && distance_[c * n + to] < 0) {
          distance_[c * n + to] = static_cast<int16_t>(distance_[c * n + queue[i]] + 1);
          queue.push_back(to);
        }
    PENUMBRA_CHECK(static_cast<int>(queue.size()) == n, "every cell of the maze is reached");
  }
}

Facts PocMan::facts() const {
  Facts f;
  f.name = options_.name;
  f.discount = options_.discount;
  f.num_actions = 4;
  f.num_observations = 1 << 10;
  f.min_reward = kStepReward + kWallReward + kCaughtReward;
  f.max_reward = kStepReward + kGhostReward + kClearReward;
  f.action_names = {"north", "east", "south", "west"};
  for (int seen = 0; seen < f.num_observations; ++seen) {
    std::string ghosts, free;
    for (int d = 0; d < 4; ++d) {
      if (seen >> d & 1) ghosts += "NESW"[d];
      if (seen >> (4 + d) & 1) free += "NESW"[d];
    }
    f.observation_names.push_back(fmt::format(
        "ghosts-{}-free-{}{}{}", ghosts.empty() ? "0" : ghosts, free.empty() ? "0" : free,
        seen >> kSmellBit & 1 ? "-food" : "", seen >> kHearBit & 1 ? "-near" : ""));
  }
  return f;
}

PocMan::State PocMan::sample_initial(Rng& rng) const {
  const Maze& maze = options_.maze;
  State s{};
  s.at = static_cast<uint8_t>(start_);
  s.direction.fill(-1);
  for (int g = 0; g < num_ghosts(); ++g)
    s.ghost[g] = static_cast<uint8_t>(cell_at(maze.home_x + g % 2, maze.home_y + g / 2));
  do {
    for (int f = 0; f < num_food(); ++f)
      set(s, f, rng.bernoulli(options_.food_probability) || cells_[food_cell_[f]].pill);
  } while (is_terminal(s));
  return s;
}

// With neither chase nor flight a ghost goes anywhere but back.
void PocMan::wander(State& s, int g, Rng& rng) const {
  int free[4], count = 0;
  const int back = s.direction[g] < 0 ? -1 : (s.direction[g] + 2) % 4;
  for (int d = 0; d < 4; ++d)
    if (d != back && after(s.ghost[g], d) >= 0) free[count++] = d;
  if (count == 0) {
    if (back < 0) return;
    free[count++] = back;
  }
  const int d = free[rng.below(static_cast<uint32_t>(count))];
  s.ghost[g] = static_cast<uint8_t>(after(s.ghost[g], d));
  s.direction[g] = static_cast<int8_t>(d);
}

// Along the direction in which PocMan is farthest ahead, or farthest behind; the last of equals. A
// ghost forgets its direction over that.
void PocMan::chase_or_flee(State& s, int g, bool flee) const {
  const Cell &ghost = cells_[s.ghost[g]], &prey = cells_[s.at];
  const int back = s.direction[g] < 0 ? -1 : (s.direction[g] + 2) % 4;
  int best = flee ? 0 : 1000, to = s.ghost[g];
  for (int d = 0; d < 4; ++d) {
    const int offset = (ghost.x - prey.x) * kDx[d] + (ghost.y - prey.y) * kDy[d];
    const int next = after(s.ghost[g], d);
    if (next < 0 || d == back || (flee ? offset < best : offset > best)) continue;
    best = offset;
    to = next;
  }
  s.ghost[g] = static_cast<uint8_t>(to);
  s.direction[g] = -1;
}

void PocMan::move_ghost(State& s, int g, Rng& rng) const {
  const double luck = rng.uniform();
  if (manhattan(s.ghost[g], s.at) >= options_.maze.ghost_range) {
    wander(s, g, rng);
  } else if (s.power > 0) {
    if (luck < kStumble && s.direction[g] >= 0)
      s.direction[g] = -1;
    else
      chase_or_flee(s, g, true);
  } else if (luck < kChase) {
    chase_or_flee(s, g, false);
  } else {
    wander(s, g, rng);
  }
}

Outcome<PocMan::State, int> PocMan::step(const State& s, int action, Rng& rng) const {
  State next = s;
  float reward = kStepReward;
  if (const int to = after(s.at, action); to >= 0)
    next.at = static_cast<uint8_t>(to);
  else
    reward += kWallReward;
  if (next.power > 0) --next.power;
  next.ate = 0;

  int hit = -1;
  for (int g = 0; g < num_ghosts(); ++g) {
    if (next.ghost[g] == next.at) hit = g;
    move_ghost(next, g, rng);
    if (next.ghost[g] == next.at) hit = g;
  }
  if (hit >= 0 && next.power == 0) {
    next.caught = 1;
    return {next, observation(next), reward + kCaughtReward};
  }
  if (hit >= 0) {
    reward += kGhostReward;
    next.ghost[hit] = static_cast<uint8_t>(home_);
    next.direction[hit] = -1;
  }

  if (const int food = food_at(next.at); food >= 0 && has(next, food)) {
    set(next, food, false);
    next.ate = 1;
    if (is_pill(next.at)) next.power = kPowerSteps;
    reward += is_terminal(next) ? kClearReward : kFoodReward;
  }
  return {next, observation(next), reward};
}

int PocMan::observation(const State& s) const {
  const Cell& cell = cells_[s.at];
  int seen = cell.walls_seen;
  for (int g = 0; g < num_ghosts(); ++g) {
    const int d = sight_[s.at * num_cells() + s.ghost[g]];
    if (d >= 0) seen |= 1 << d;
    if (manhattan(s.at, s.ghost[g]) <= kHearRange) seen |= 1 << kHearBit;
  }
  bool smells = s.ate;
  for (int w = 0; w < kFoodWords; ++w) smells |= (s.food[w] & cell.around[w]) != 0;
  return seen | smells << kSmellBit;
}

double PocMan::mdp_value(const State& s) const {
  if (is_terminal(s)) return 0;
  std::array<uint8_t, 256> at_distance{};
  int farthest = 0, pills = 0, nearest_pill = 1000;
  for (int w = 0; w < kFoodWords; ++w)
    for (uint32_t rest = s.food[w]; rest; rest &= rest - 1) {
      const int cell = food_cell_[32 * w + std::countr_zero(rest)];
      const int d = distance(s.at, cell);
      ++at_distance[d];
      farthest = std::max(farthest, d);
      if (!cells_[cell].pill) continue;
      ++pills;
      nearest_pill = std::min(nearest_pill, d);
    }
  // The k-th food is eaten neither before k steps nor before as many as it is away.
  double value = 0;
  int t = -1;
  for (int d = 0; d <= farthest; ++d)
    for (int k = 0; k < at_distance[d]; ++k) {
      t = std::max(t + 1, d - 1);
      value += kFoodReward * power_[t];
    }
  value += (kClearReward - kFoodReward) * power_[t];
  for (int u = 0; u <= t; ++u) value += kStepReward * power_[u];
  // A pill counts in the steps after it, all but the last of kPowerSteps.
  const int now = std::max(0, s.power - 1), later = (kPowerSteps - 1) * pills;
  for (int u = 0; u < now; ++u) value += kGhostReward * power_[u];
  for (int u = 0; u < later; ++u) value += kGhostReward * power_[std::max(now, nearest_pill) + u];
  return value;
}

FeatureLayout PocMan::features() const {
  FeatureLayout layout;
  layout.categories.assign(1 + num_ghosts(), num_cells());
  layout.categories.push_back(kPowerSteps + 1);
  layout.num_bits = num_food();
  return layout;
}

void PocMan::encode(const State& s, FeatureRow row) const {
  row.category[0] = s.at;
  for (int g = 0; g < num_ghosts(); ++g) row.category[1 + g] = s.ghost[g];
  row.category[1 + num_ghosts()] = s.power;
  for (size_t w = 0; w < row.bits.size(); ++w) row.bits[w] = s.food[w];
}

PocMan::State PocMan::perturb(const State& s, Rng& rng) const {
  State out = s;
  const uint32_t ghosts = 1 + rng.below(2);
  for (uint32_t i = 0; i < ghosts; ++i) {
    const uint32_t g = rng.below(static_cast<uint32_t>(num_ghosts()));
    const auto to = static_cast<uint8_t>(rng.below(static_cast<uint32_t>(num_cells())));
    if (to == s.at) continue;
    out.ghost[g] = to;
    out.direction[g] = -1;
  }
  const Cell& cell = cells_[s.at];
  for (int w = 0; w < kFoodWords; ++w)
    for (uint32_t rest = cell.around[w]; rest; rest &= rest - 1) {
      const int food = 32 * w + std::countr_zero(rest);
      if (food != cell.food) set(out, food, rng.bernoulli(options_.food_probability / 2));
    }
  if (is_terminal(out)) out.food = s.food;
  return out;
}

Scene PocMan::scene() const {
  Scene out{"pocman", {"x", "y"}, 2 + 2 * num_ghosts(), {}};
  for (int g = 1; g <= num_ghosts(); ++g) {
    out.fields.push_back(fmt::format("ghost{} x", g));
    out.fields.push_back(fmt::format("ghost{} y", g));
  }
  out.fields.insert(out.fields.end(), {"power", "caught"});
  std::vector<float> cells, food, pills;
  auto add = [](std::vector<float>& list, const Cell& c) {
    list.insert(list.end(), {static_cast<float>(c.x), static_cast<float>(c.y)});
  };
  for (const Cell& c : cells_) add(cells, c);
  for (size_t f = 0; f < food_cell_.size(); ++f) {
    out.fields.push_back(fmt::format("food{}", f + 1));
    add(food, cells_[food_cell_[f]]);
    pills.push_back(cells_[food_cell_[f]].pill);
  }
  const auto& rows = options_.maze.rows;
  out.setting = {{"size", {static_cast<float>(rows[0].size()), static_cast<float>(rows.size())}},
                 {"ghosts", {static_cast<float>(num_ghosts())}},
                 {"cells", std::move(cells)},
                 {"food", std::move(food)},
                 {"pills", std::move(pills)}};
  return out;
}

void PocMan::scene_values(const State& s, std::span<float> out) const {
  size_t i = 0;
  auto put = [&](int value) { out[i++] = static_cast<float>(value); };
  put(cells_[s.at].x);
  put(cells_[s.at].y);
  for (int g = 0; g < num_ghosts(); ++g) {
    put(cells_[s.ghost[g]].x);
    put(cells_[s.ghost[g]].y);
  }
  put(s.power);
  put(s.caught);
  for (int f = 0; f < num_food(); ++f) put(has(s, f));
}

std::string PocMan::draw(const State& s) const {
  const auto& rows = options_.maze.rows;
  std::string out;
  for (int y = static_cast<int>(rows.size()) - 1; y >= 0; --y) {
    for (int x = 0; x < static_cast<int>(rows[0].size()); ++x) {
      const int cell = cell_at(x, y);
      if (cell < 0) {
        out += '#';
        continue;
      }
      char c = food_at(cell) >= 0 && has(s, food_at(cell)) ? (is_pill(cell) ? 'o' : '.') : ' ';
      for (int g = 0; g < num_ghosts(); ++g)
        if (s.ghost[g] == cell) c = s.power > 0 ? 'g' : 'G';
      if (s.at == cell) c = s.caught ? 'X' : '@';
      out += c;
    }
    out += '\n';
  }
  return out;
}

std::string PocMan::describe_state(const State& s) const {
  int food = 0;
  for (uint32_t word : s.food) food += std::popcount(word);
  std::string ghosts;
  for (int g = 0; g < num_ghosts(); ++g)
    ghosts += fmt::format("{}({}, {})", g ? " " : "", cells_[s.ghost[g]].x, cells_[s.ghost[g]].y);
  return fmt::format("at ({}, {}), ghosts {}, power {}, food {}{}", cells_[s.at].x, cells_[s.at].y,
                     ghosts, s.power, food, s.caught ? ", caught" : "");
}

std::unique_ptr<Pomdp> make_pocman(Params& p) {
  PocMan::Options o;
  const std::string map = p.word("map", {"full", "mini", "micro"},
                                 "17 x 19 with 4 ghosts, 10 x 10 with 3, 7 x 7 with 1");
  o.maze = map == "full"   ? PocMan::full_maze()
           : map == "mini" ? PocMan::mini_maze()
                           : PocMan::micro_maze();
  o.food_probability = p.real("food", 0.5, 0.01, 1, "chance of food where there may be some");
  o.discount = p.real("discount", 0.95, 0, 0.999999, "gamma");
  o.name = p.canonical();
  return adapt(PocMan(std::move(o)));
}

}  // namespace penumbra
