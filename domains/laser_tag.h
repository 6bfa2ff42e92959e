// laser-tag: a robot in a room with obstacles must tag an opponent that runs away. It knows the map
// but not where it is; eight lasers measure, badly, how far it is to the next wall, obstacle or
// opponent. The rules are those of the DESPOT program and of LaserTag.jl.
// docs/domains/laser-tag.md.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "penumbra/base/spec.h"
#include "penumbra/model/adapt.h"
#include "penumbra/model/model.h"

namespace penumbra {

class LaserTag {
 public:
  static constexpr int kWidth = 11, kHeight = 7, kCells = kWidth * kHeight, kBeams = 8;
  struct Options {
    std::vector<std::pair<int, int>> obstacles;  // cells (x, y) from (1, 1), y grows to the north
    bool start_anywhere = false;                 // also on obstacles, as in LaserTag.jl
    double noise = 2.5;                          // of a laser
    double discount = 0.95;
    std::string name = "laser-tag";
  };

  struct State {
    uint8_t robot, opponent;  // cells, kWidth to a row from the south-west
    uint8_t tagged;
  };
  // Whole numbers, from the north, east, south, west, then north-east and on around; all -1 where
  // robot and opponent share a cell.
  using Observation = std::array<float, kBeams>;
  enum Action { kNorth, kEast, kSouth, kWest, kTag, kNumActions };

  explicit LaserTag(Options options);

  Facts facts() const;
  State sample_initial(Rng& rng) const;
  bool is_terminal(const State& s) const { return s.tagged != 0; }
  Outcome<State, Observation> step(const State& s, int action, Rng& rng) const;
  double likelihood(const Observation& seen, int action, const State& next) const;
  double cumulative(float bound, int coordinate, int action, const State& next) const;
  // The optimum when both cells are known, by value iteration from above at the first call.
  double mdp_value(const State& s) const;

  // The cell of each, and where the opponent is from the robot.
  FeatureLayout features() const { return {{kCells, kCells, kOffsets}, 0, 0}; }
  void encode(const State& s, FeatureRow row) const;
  State perturb(const State& s, Rng& rng) const;

  Scene scene() const;
  void scene_values(const State& s, std::span<float> out) const;
  std::string draw(const State& s) const;
  std::string describe_state(const State& s) const;

  // For policies that keep an exact belief.
  struct Move {
    uint8_t cell;
    double probability;
  };
  // Where the opponent goes; cells may occur twice.
  std::vector<Move> opponent_moves(int robot, int opponent) const;
  int robot_after(int robot, int action) const {
    return action == kTag ? robot : after_[robot * 4 + action];
  }
  const std::vector<uint8_t>& start_cells() const { return start_cells_; }
  double discount() const { return options_.discount; }
  // Cells that a beam passes until it ends, the last one included; straight or diagonal.
  int beam_cells(const State& s, int beam) const {
    return beam_cells_[(s.robot * kCells + s.opponent) * kBeams + beam];
  }
  // P(reading) of a beam that ends after so many cells.
  double reading_probability(bool diagonal, int cells, int reading) const;

 private:
  static constexpr int kOffsets = (2 * kWidth - 1) * (2 * kHeight - 1);
  static constexpr int kReadings = 16;  // 11 sqrt(2) is below
  static int x_of(int cell) { return cell % kWidth; }
  static int y_of(int cell) { return cell / kWidth; }
  bool is_free(int x, int y) const {
    return x >= 0 && y >= 0 && x < kWidth && y < kHeight && !obstacle_[y * kWidth + x];
  }
  int moved(int cell, int dx, int dy) const {
    const int x = x_of(cell) + dx, y = y_of(cell) + dy;
    return is_free(x, y) ? y * kWidth + x : cell;
  }
  const double* below(bool diagonal, int cells) const {
    return &below_[(diagonal * (kWidth + 1) + cells) * (kReadings + 1)];
  }
  void measure_beams();

  Options options_;
  std::vector<uint8_t> obstacle_;     // [cell]
  std::vector<uint8_t> start_cells_;  // of robot and opponent
  std::vector<uint8_t> after_;        // [cell][direction]
  std::vector<uint8_t> beam_cells_;   // [robot][opponent][beam]
  std::vector<double> below_;         // [diagonal][cells][r]: P(reading < r)
  struct Values;
  std::shared_ptr<Values> values_;  // shared by copies
};
static_assert(Model<LaserTag>);

std::unique_ptr<Pomdp> make_laser_tag(Params& params);

}  // namespace penumbra
