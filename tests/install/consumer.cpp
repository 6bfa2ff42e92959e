// Uses the installed package: a domain of the registry, and a model of its own.
#include <cstdio>

#include "domains/registry.h"
#include "penumbra/evaluate/score.h"
#include "penumbra/model/adapt.h"
#include "penumbra/policy/named.h"

struct Coin {
  struct State {
    int heads;
  };
  using Observation = int;
  penumbra::Facts facts() const {
    return {.name = "coin", .num_actions = 1, .num_observations = 1, .max_reward = 1};
  }
  State sample_initial(penumbra::Rng& rng) const { return {rng.bernoulli(0.5)}; }
  bool is_terminal(const State& s) const { return s.heads == 2; }
  penumbra::Outcome<State, int> step(const State& s, int, penumbra::Rng&) const {
    return {{2}, 0, static_cast<float>(s.heads)};
  }
};
static_assert(penumbra::Model<Coin>);

int main() {
  penumbra::ThreadPool pool(2);
  const auto rocks = penumbra::load_domain("rock-sample(n=7,k=8)");
  const auto east = penumbra::named_policy("blind(action=east)", *rocks);
  const auto coin = penumbra::adapt(Coin{});
  const auto flip = penumbra::named_policy("random", *coin);
  const double exit = penumbra::evaluate(*rocks, *east, {.episodes = 100}, pool).mean;
  const double half = penumbra::evaluate(*coin, *flip, {.episodes = 10'000}, pool).mean;
  std::printf("%.4f %.2f\n", exit, half);
  return exit > 7.35 && exit < 7.36 && half > 0.45 && half < 0.55 ? 0 : 1;
}
