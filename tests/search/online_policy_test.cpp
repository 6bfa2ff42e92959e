#include "penumbra/search/online_policy.h"

#include <gtest/gtest.h>

#include "penumbra/evaluate/score.h"
#include "penumbra/evaluate/simulate.h"
#include "penumbra/model/adapt.h"
#include "tests/search/planner_kit.h"

namespace penumbra::search {
namespace {

constexpr const char* kQuick[] = {
    "pomcp(simulations=40,particles=300)",
    "pomcpow(simulations=40,particles=300)",
    "pft-dpw(simulations=10,particles=300)",
    "sparse-pft(simulations=10,particles=300)",
    "despot(simulations=3,scenarios=50,particles=300)",
    "adaops(simulations=3,tree_particles=30,particles=300)",
};

Score score(const Pomdp& model, const Policy& policy, uint64_t episodes, int threads = 1) {
  ThreadPool pool(threads);
  EvaluateOptions how;
  how.episodes = episodes;
  how.max_steps = 30;
  return evaluate(model, policy, how, pool);
}

TEST(OnlinePolicy, SameScoreForAnyNumberOfThreads) {
  const auto model = load_domain("rock-sample(n=4,k=4)");
  for (const char* spec : kQuick) {
    const auto policy = player(spec, *model);
    const double alone = score(*model, *policy, 30).mean;
    for (int threads : {2, 3}) EXPECT_EQ(score(*model, *policy, 30, threads).mean, alone) << spec;
    EXPECT_EQ(score(*model, *player(spec, *model), 30).mean, alone) << spec;
  }
}

TEST(OnlinePolicy, OneDescentAndAMicrosecondAreEnoughToAct) {
  const auto model = load_domain("rock-sample(n=4,k=4)");
  for (const std::string planner :
       {"pomcp", "pomcpow", "pft-dpw", "sparse-pft", "despot", "adaops"}) {
    for (const std::string budget : {"simulations=1", "time=0.001ms"}) {
      const auto policy = player(planner + "(" + budget + ",particles=100)", *model);
      EXPECT_GT(score(*model, *policy, 3).steps, 0) << planner << " " << budget;
    }
  }
}

// Shows what no state of the belief can show: the world has a state that the start has not.
struct Surprise {
  struct State {
    int32_t x;
  };
  using Observation = int;
  bool in_the_world = true;
  Facts facts() const {
    return {.name = "surprise", .num_actions = 2, .num_observations = 3, .max_reward = 1};
  }
  State sample_initial(Rng& rng) const { return {in_the_world ? 2 : int32_t(rng.below(2))}; }
  bool is_terminal(const State&) const { return false; }
  Outcome<State, int> step(const State& s, int a, Rng&) const { return {s, s.x, a == 1 ? 1.f : 0}; }
  double likelihood(int seen, int, const State& s) const { return seen == s.x; }
  double mdp_value(const State&) const { return 20; }
};

TEST(OnlinePolicy, GoesOnWhereNoParticleExplainsWhatIsSeen) {
  const auto world = adapt(Surprise{}), believed = adapt(Surprise{false});
  for (const char* spec : kQuick) {
    const auto policy = player(spec, *believed);
    const Score s = score(*world, *policy, 3);
    EXPECT_EQ(s.steps, 90) << spec;
    EXPECT_GT(s.mean, 10) << spec;
  }
}

TEST(OnlinePolicy, LooksAtADecisionWithItsTree) {
  const auto model = load_domain("tiger");
  const auto policy = player("despot(simulations=20,particles=500)", *model);
  std::vector<std::byte> memory(policy->memory_size());
  policy->start({RngKey::from_seed(1)}, {memory.data(), memory.size(), 1});
  int action;
  const auto look = dynamic_cast<const OnlinePolicy&>(*policy).act_and_look(
      {memory.data(), memory.size(), 1}, {RngKey::from_seed(2)},
      {reinterpret_cast<std::byte*>(&action), sizeof action, 1}, 2, 50);
  EXPECT_EQ(action_of(*model, look.decision), "listen");
  ASSERT_FALSE(look.rows.empty());
  EXPECT_EQ(look.rows[0].level, 0);
}

// The controller goes along through episodes: where the search leaves its way it is found again.
TEST(OnlinePolicy, WithTheBestControllerItIsTheBest) {
  const auto model = load_domain("tiger");
  const Fsc best = best_of_tiger();
  for (const char* spec : {"despot(simulations=5,lower=best.policy,judges=300,particles=500)",
                           "adaops(simulations=5,lower=best.policy,judges=300,particles=500)"}) {
    const auto policy = player(spec, *model, best);
    ThreadPool pool(1);
    EvaluateOptions how;
    how.episodes = 10;
    how.max_steps = 30;
    const Comparison c = compare(*model, *policy, FscPolicy(best, model->facts()), how, pool);
    EXPECT_GT(c.difference.mean, -2.5 * c.difference.standard_error - 1e-9) << spec;
  }
}

}  // namespace
}  // namespace penumbra::search
