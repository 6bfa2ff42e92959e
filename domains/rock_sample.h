// RockSample: a robot on an n x n grid knows where it is but not which of k rocks are good. It
// checks rocks from afar (noisily), samples good ones, and leaves by the east side.
// docs/domains/rock-sample.md gives every rule and option.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "domains/rock_tour_bound.h"
#include "penumbra/base/spec.h"
#include "penumbra/model/adapt.h"
#include "penumbra/model/macro_action.h"
#include "penumbra/model/model.h"

namespace penumbra {

// What does not depend on the number of rocks.
struct RockSampleTerms {
  // What bumping into a border or sampling off a rock does.
  enum class Rules {
    kModern,   // nothing happens, no penalty (RockSample.jl)
    kClassic,  // illegal_penalty, and the episode ends (Smith and Simmons; SARSOP's files)
    kDespot,   // illegal_penalty, and the robot stays
  };
  struct Options {
    int n = 7;
    Rules rules = Rules::kModern;
    std::vector<std::pair<int, int>> rocks;  // cells (x, y) from (1, 1), x grows to the east
    std::pair<int, int> start{1, 1};
    double half_distance = 20;  // d0: a check is right with probability (1 + 2^(-d/d0)) / 2
    double prior_good = 0.5;
    double good_reward = 10, bad_reward = -10, exit_reward = 10;
    double step_penalty = 0, check_penalty = 0, illegal_penalty = -100;
    double discount = 0.95;
    std::string name = "rock-sample";
  };

  enum Seen { kGood, kBad, kNone };  // the classic rules have no kNone and answer kGood instead
  enum Action { kSample, kNorth, kEast, kSouth, kWest, kCheck };  // kCheck + i checks rock i
};

// Bits: an unsigned integer with a bit per rock.
template <class Bits>
class RockSampleOf : public RockSampleTerms {
 public:
  static constexpr int kMostRocks = 8 * sizeof(Bits);
  using Coordinate = std::conditional_t<sizeof(Bits) == 4, int16_t, int32_t>;  // no gap in a state
  struct State {
    Coordinate x, y;  // from 1; x = 0 is the terminal state
    Bits rocks;       // bit i: rock i is good
  };
  using Observation = int;

  explicit RockSampleOf(Options options);

  Facts facts() const;
  State sample_initial(Rng& rng) const;
  bool is_terminal(const State& s) const { return s.x == 0; }
  // Always inline: the class is instantiated explicitly, and compilers then call it instead.
  [[gnu::always_inline]] Outcome<State, int> step(const State& s, int action, Rng& rng) const {
    const float base = step_penalty_;
    if (action >= kCheck) {
      const int rock = action - kCheck;
      const bool good = s.rocks >> rock & 1;
      const bool right = rng.uniform_float() < accuracy(s, rock);
      return {s, good == right ? kGood : kBad, base + check_penalty_};
    }
    if (action == kSample) {
      const int rock = rock_at_[cell(s)];
      if (rock < 0) return illegal(s, base);
      const Bits bit = Bits{1} << rock;
      return {
          {s.x, s.y, s.rocks & ~bit}, quiet_, base + (s.rocks & bit ? good_reward_ : bad_reward_)};
    }
    static constexpr int8_t kDx[] = {0, 0, 1, 0, -1}, kDy[] = {0, 1, 0, -1, 0};
    const int x = s.x + kDx[action], y = s.y + kDy[action];
    if (x > n_) return {kTerminal, quiet_, base + exit_reward_};
    if (x < 1 || y < 1 || y > n_) return illegal(s, base);
    return {{static_cast<Coordinate>(x), static_cast<Coordinate>(y), s.rocks}, quiet_, base};
  }
  double likelihood(int seen, int action, const State& next) const {
    if (action < kCheck || next.x == 0) return seen == quiet_;
    if (seen == kNone) return 0;
    const bool good = next.rocks >> (action - kCheck) & 1;
    const double right = accuracy(next, action - kCheck);
    return good == (seen == kGood) ? right : 1 - right;
  }

  FeatureLayout features() const { return {{n_ * n_}, num_rocks(), 0}; }
  void encode(const State& s, FeatureRow row) const {
    row.category[0] = s.x == 0 ? 0 : cell(s);
    for (size_t word = 0; word < row.bits.size(); ++word)
      row.bits[word] = static_cast<uint32_t>(s.rocks >> 32 * word);
  }
  // The optimum when the rocks are known, by recursion over the subset that is left; exact when no
  // penalty is set, and above the optimum otherwise. Up to kMaxSubsetRocks rocks; beyond, the bound
  // of rock_tour_bound.h. The table is made at the first call and shared by copies.
  double mdp_value(const State& s) const;
  static constexpr int kMaxSubsetRocks = 22;

  // Explicit tables are offered for up to kMaxTableStates states: the position is visible, the
  // rocks are hidden variables.
  static constexpr long kMaxTableStates = 1 << 18;
  Capabilities withheld() const;
  Tabular table() const;
  int table_states() const { return ((n_ * n_) + 1) << num_rocks_; }
  int state_index(const State& s) const;

  Scene scene() const;
  void scene_values(const State& s, std::span<float> out) const;
  std::string draw(const State& s) const;
  std::string describe_state(const State& s) const;

  int n() const { return n_; }
  int num_rocks() const { return static_cast<int>(options_.rocks.size()); }
  const Options& options() const { return options_; }
  int rock_at(int x, int y) const { return rock_at_[(y - 1) * n_ + x - 1]; }
  // Probability that a check from the state's cell is right.
  float accuracy(const State& s, int rock) const { return accuracy_[cell(s) * num_rocks_ + rock]; }

 private:
  static constexpr State kTerminal{0, 0, 0};
  void fill_table(Tabular& t, int action) const;
  int cell(const State& s) const { return (s.y - 1) * n_ + s.x - 1; }
  Outcome<State, int> illegal(const State& s, float base) const {
    if (options_.rules == Rules::kModern) return {s, quiet_, base};
    return {options_.rules == Rules::kClassic ? kTerminal : s, quiet_, base + illegal_penalty_};
  }

  Options options_;
  int n_, num_rocks_, quiet_;
  float step_penalty_, check_penalty_, illegal_penalty_, good_reward_, bad_reward_, exit_reward_;
  std::vector<int8_t> rock_at_;  // [cell]: rock number, or -1
  std::vector<float> accuracy_;  // [cell][rock]
  struct SubsetValues;
  std::shared_ptr<SubsetValues> subset_values_;
  std::shared_ptr<const RockTourBound> tour_bound_;  // above kMaxSubsetRocks
};
using RockSample = RockSampleOf<uint32_t>;
using WideRockSample = RockSampleOf<uint64_t>;  // above 32 rocks
static_assert(Model<RockSample> && Model<WideRockSample>);

// Straight moves of several cells.
std::vector<MacroAction> rock_sample_macro_actions(const Facts& facts);

std::unique_ptr<Pomdp> make_rock_sample(Params& params);

}  // namespace penumbra
