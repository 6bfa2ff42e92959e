// Tiger: behind one of two doors. Listening costs 1 and is right 85 % of the time; the wrong door
// costs 100, the right one pays 10, and then the tiger is put anew.
#pragma once

#include <memory>

#include "penumbra/base/spec.h"
#include "penumbra/model/adapt.h"
#include "penumbra/model/model.h"

namespace penumbra {

struct Tiger {
  struct State {
    int32_t right;  // 1: the tiger is behind the right door
  };
  using Observation = int;
  enum Action { kListen, kOpenLeft, kOpenRight };

  std::string name = "tiger";
  double discount = 0.95, accuracy = 0.85;
  float listen_penalty = -1, tiger_penalty = -100, gold_reward = 10;

  Facts facts() const {
    return {.name = name,
            .discount = discount,
            .num_actions = 3,
            .num_observations = 2,
            .min_reward = std::min(listen_penalty, tiger_penalty),
            .max_reward = gold_reward,
            .action_names = {"listen", "open-left", "open-right"},
            .observation_names = {"hear-left", "hear-right"}};
  }
  State sample_initial(Rng& rng) const { return {rng.bernoulli(0.5)}; }
  bool is_terminal(const State&) const { return false; }
  Outcome<State, int> step(const State& s, int action, Rng& rng) const {
    if (action == kListen)
      return {s, rng.bernoulli(accuracy) ? s.right : 1 - s.right, listen_penalty};
    const bool eaten = (action == kOpenRight) == (s.right == 1);
    const State next{rng.bernoulli(0.5)};
    return {next, rng.bernoulli(0.5), eaten ? tiger_penalty : gold_reward};
  }
  double likelihood(int seen, int action, const State& next) const {
    if (action != kListen) return 0.5;
    return seen == next.right ? accuracy : 1 - accuracy;
  }
  double mdp_value(const State&) const { return gold_reward / (1 - discount); }
  FeatureLayout features() const { return {{2}, 0, 0}; }
  void encode(const State& s, FeatureRow row) const { row.category[0] = s.right; }
  Tabular table() const;
  int state_index(const State& s) const { return s.right; }
  std::string describe_state(const State& s) const {
    return s.right ? "tiger on the right" : "tiger on the left";
  }
};
static_assert(Model<Tiger>);

std::unique_ptr<Pomdp> make_tiger(Params& params);

}  // namespace penumbra
