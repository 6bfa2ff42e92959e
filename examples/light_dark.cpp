// A whole problem in one file: a robot on a line wants to stop near 0, and hears where it is the
// better the closer it is to the light at 5. docs/write-a-pomdp.md explains it line by line.
#include <cmath>
#include <cstdio>

#include "penumbra/evaluate/score.h"
#include "penumbra/model/adapt.h"
#include "penumbra/policy/named.h"

using namespace penumbra;

struct LightDark {
  struct State {
    float y;
    int stopped;
  };
  using Observation = float;  // where the robot seems to be
  enum Action { kLeft, kStop, kRight };

  Facts facts() const {
    return {.name = "my-light-dark",
            .discount = 0.9,
            .num_actions = 3,
            .num_observations = 0,  // continuous
            .min_reward = -10,
            .max_reward = 10,
            .action_names = {"left", "stop", "right"}};
  }
  State sample_initial(Rng& rng) const { return {static_cast<float>(rng.normal(2, 3)), 0}; }
  bool is_terminal(const State& s) const { return s.stopped; }
  Outcome<State, float> step(const State& s, int action, Rng& rng) const {
    State next = s;
    float reward = 0;
    if (action == kStop) {
      next.stopped = 1;
      reward = std::abs(s.y) < 1 ? 10 : -10;
    } else {
      next.y += static_cast<float>(action - kStop);
    }
    return {next, static_cast<float>(rng.normal(next.y, noise(next))), reward};
  }

  // Optional: how likely an observation is. The particle filter weighs with it.
  double likelihood(float seen, int, const State& next) const {
    const double z = (seen - next.y) / noise(next);
    return std::exp(-z * z / 2) / (noise(next) * std::sqrt(2 * M_PI));
  }
  // Optional: what a network sees of a state.
  FeatureLayout features() const { return {.categories = {}, .num_bits = 0, .num_dense = 1}; }
  void encode(const State& s, FeatureRow row) const { row.dense[0] = s.y / 5; }

  static double noise(const State& s) { return std::abs(s.y - 5) / std::sqrt(2) + 0.01; }
};
static_assert(Model<LightDark>);  // a missing or misspelt method shows up here

int main() {
  const auto model = adapt(LightDark{});
  ThreadPool pool;
  for (const char* name : {"blind(action=stop)", "random"}) {
    const auto policy = named_policy(name, *model);
    const Score score = evaluate(*model, *policy, {.episodes = 100'000}, pool);
    std::printf("%-20s %.3f +- %.3f\n", name, score.mean, score.standard_error);
  }
}
