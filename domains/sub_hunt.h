// sub-hunt: a submarine looks for another one that crosses the sea to its goal. It hears little
// beyond three cells; a ping tells where the target is, but then the target knows and is harder to
// hit. The rules are those of SubHunt.jl. docs/domains/sub-hunt.md.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "penumbra/base/spec.h"
#include "penumbra/model/adapt.h"
#include "penumbra/model/model.h"

namespace penumbra {

class SubHunt {
 public:
  static constexpr int kSize = 20, kSpeed = 3, kBeams = 8;
  static constexpr double kKillRadius = 2, kDetectRadius = 3;
  static constexpr float kKillReward = 100;
  struct Options {
    double discount = 0.99;
    double p_aware_kill = 0.6;  // that an engagement hits a target that knows
    double passive_std = 5;     // of beams that hear nothing
    double detected_std = 0.5;  // of the beam that hears the target
    double active_std = 0.5;    // of all beams after a ping
    std::string name = "sub-hunt";
  };

  struct State {
    uint8_t own_x, own_y, target_x, target_y;  // from 1; y grows to the north
    uint8_t goal;                              // a direction
    uint8_t aware;                             // the target has heard a ping
    uint8_t killed;
  };
  // Beam i covers the angles (45 i, 45 (i+1)] degrees from the east, counterclockwise.
  using Observation = std::array<float, kBeams>;
  enum Action { kNorth, kEast, kSouth, kWest, kPing, kEngage, kNumActions };

  explicit SubHunt(Options options);

  Facts facts() const;
  State sample_initial(Rng& rng) const;
  bool is_terminal(const State& s) const { return s.killed || at_goal(s); }
  Outcome<State, Observation> step(const State& s, int action, Rng& rng) const;
  double likelihood(const Observation& seen, int action, const State& next) const;
  double cumulative(float bound, int coordinate, int action, const State& next) const;
  // The optimum when everything is known, made at the first call: the target comes nearer to its
  // goal with every step, so one pass suffices.
  double mdp_value(const State& s) const;

  FeatureLayout features() const { return {{4}, 2, 7}; }
  void encode(const State& s, FeatureRow row) const;
  State perturb(const State& s, Rng& rng) const;

  Scene scene() const;
  void scene_values(const State& s, std::span<float> out) const;
  std::string draw(const State& s) const;
  std::string describe_state(const State& s) const;

  const Options& options() const { return options_; }
  static bool at_goal(const State& s);
  static bool in_range(const State& s) {
    const int dx = s.target_x - s.own_x, dy = s.target_y - s.own_y;
    return dx * dx + dy * dy <= kKillRadius * kKillRadius;
  }
  double kill_probability(const State& s) const {
    return !in_range(s) ? 0 : s.aware ? options_.p_aware_kill : 1;
  }
  // Own boat and awareness after an action, the target still where it was.
  static State own_after(const State& s, int action);
  // The target after its move; way 0 is straight on (with probability 1/2), 1 and 2 aside (1/4).
  static State target_after(const State& s, int way);
  static constexpr double kWayProbability[] = {0.5, 0.25, 0.25};
  // Which beam points at the target.
  static int beam_at(int dx, int dy);

 private:
  struct Hearing {
    int beam;  // that hears the target, or -1
    double mean, deviation, other_mean, other_deviation;
  };
  Hearing hearing(int action, const State& next) const;
  void fill_values() const;

  Options options_;
  struct Values;
  std::shared_ptr<Values> values_;  // shared by copies
};
static_assert(Model<SubHunt>);

std::unique_ptr<Pomdp> make_sub_hunt(Params& params);

}  // namespace penumbra
