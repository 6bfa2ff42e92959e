// pocman: PacMan with poor eyes. It eats food in a maze with ghosts and learns only ten bits a
// step: ghosts in line of sight, walls, whether it smells food and hears a ghost. The rules are
// those of the POMCP and DESPOT programs. docs/domains/pocman.md.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "penumbra/base/spec.h"
#include "penumbra/model/adapt.h"
#include "penumbra/model/model.h"

namespace penumbra {

class PocMan {
 public:
  static constexpr int kMostGhosts = 4, kPowerSteps = 15, kFoodWords = 5;
  struct Maze {
    std::vector<std::string> rows;  // from the north: # wall, . maybe food, o power pill
    int start_x, start_y;           // y from 0 in the south
    int home_x, home_y;             // of the ghosts
    int passage;                    // the row that wraps around, or -1
    int num_ghosts;
    int ghost_range;  // below this distance ghosts act on PocMan
  };
  struct Options {
    Maze maze;
    double food_probability = 0.5;
    double discount = 0.95;
    std::string name = "pocman";
  };
  static Maze full_maze();
  static Maze mini_maze();
  static Maze micro_maze();

  struct State {
    std::array<uint32_t, kFoodWords> food;      // bit f: food place f has food
    uint8_t at;                                 // cells are numbered, walls left out
    std::array<uint8_t, kMostGhosts> ghost;     // cells
    std::array<int8_t, kMostGhosts> direction;  // of a ghost's last move, -1: none
    uint8_t power;                              // steps left
    uint8_t ate;     // there was food at this cell: smelled before it is eaten
    uint8_t caught;  // by a ghost: terminal, as a maze without food is
  };
  // Bits: a ghost is seen to the north, east, south, west; these are free; food is near; a ghost
  // is.
  using Observation = int;
  static constexpr int kSmellBit = 8, kHearBit = 9;
  enum Action { kNorth, kEast, kSouth, kWest };

  explicit PocMan(Options options);

  Facts facts() const;
  State sample_initial(Rng& rng) const;
  bool is_terminal(const State& s) const {
    if (s.caught) return true;
    uint32_t left = 0;
    for (uint32_t word : s.food) left |= word;
    return left == 0;
  }
  Outcome<State, int> step(const State& s, int action, Rng& rng) const;
  int observation(const State& s) const;
  double likelihood(int seen, int, const State& next) const { return seen == observation(next); }
  // An upper bound: no food before its distance, one a step, and a ghost in every powered step.
  double mdp_value(const State& s) const;

  FeatureLayout features() const;
  void encode(const State& s, FeatureRow row) const;
  // One or two ghosts elsewhere, and the food around PocMan drawn anew.
  State perturb(const State& s, Rng& rng) const;

  Scene scene() const;
  void scene_values(const State& s, std::span<float> out) const;
  std::string draw(const State& s) const;
  std::string describe_state(const State& s) const;

  int num_cells() const { return static_cast<int>(cells_.size()); }
  int num_food() const { return static_cast<int>(food_cell_.size()); }
  int num_ghosts() const { return options_.maze.num_ghosts; }
  int start() const { return start_; }
  int cell_at(int x, int y) const;  // -1: a wall, or outside
  int after(int cell, int direction) const { return after_[cell * 4 + direction]; }  // -1: blocked
  bool is_pill(int cell) const { return cells_[cell].pill; }
  int food_at(int cell) const { return cells_[cell].food; }  // its bit, -1: never any
  int distance(int from, int to) const { return distance_[from * num_cells() + to]; }  // steps

 private:
  struct Cell {
    int x, y;
    int food = -1;
    bool pill = false;
    int walls_seen = 0;                            // the bits of free directions
    std::array<uint32_t, kFoodWords> around = {};  // the food of the nine cells here
  };
  static bool has(const State& s, int food) { return s.food[food >> 5] >> (food & 31) & 1; }
  static void set(State& s, int food, bool there) {
    uint32_t& word = s.food[food >> 5];
    word = there ? word | 1u << (food & 31) : word & ~(1u << (food & 31));
  }
  int manhattan(int a, int b) const;
  void measure();
  void move_ghost(State& s, int ghost, Rng& rng) const;
  void chase_or_flee(State& s, int ghost, bool flee) const;
  void wander(State& s, int ghost, Rng& rng) const;

  Options options_;
  std::vector<Cell> cells_;
  std::vector<uint8_t> food_cell_;  // [food]
  std::vector<int16_t> after_;      // [cell][direction]
  std::vector<int8_t> sight_;       // [cell][cell]: the direction in which it is seen, -1: not
  std::vector<int16_t> distance_;   // [cell][cell]
  std::vector<double> power_;       // discount^t
  int start_ = 0, home_ = 0;
};
static_assert(Model<PocMan>);

std::unique_ptr<Pomdp> make_pocman(Params& params);

}  // namespace penumbra
