#include "penumbra/search/agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domains/registry.h"
#include "tests/error_of.h"

namespace penumbra::search {
namespace {

struct Played {
  std::vector<std::vector<std::byte>> actions;
  std::vector<double> values;
  bool ended = false;
};

// An episode in a world of its own.
Played play(const Pomdp& model, Agent& agent, int most_steps, uint64_t world_seed = 7) {
  const RngKey world = RngKey::from_seed(world_seed);
  RecordBuffer state(model.state_size(), 1);
  StepBuffers buffers(model, 1);
  model.sample_initial({world.fold("initial")}, state);
  Played out;
  for (int t = 0; t < most_steps && !out.ended; ++t) {
    const std::byte* action = agent.act_record();
    out.actions.emplace_back(action, action + model.action_size());
    out.values.push_back(agent.decision().value);
    const StepResults step = buffers.results(1);
    model.step(state, ConstRecords{action, model.action_size(), 1}, {world.fold(t)}, step);
    out.ended = step.ended[0] != 0;
    if (!out.ended) agent.observe_record(step.seen.data);
    state.copy_from(0, step.next.data);
  }
  return out;
}

class AgentOf : public testing::TestWithParam<const char*> {};

TEST_P(AgentOf, DoesTheSameWithAnyNumberOfThreads) {
  const auto model = load_finite_domain("rock-sample(n=4,k=3)");
  ThreadPool one(1), two(2);
  Agent a(*model, GetParam(), 5, one), b(*model, GetParam(), 5, two);
  const Played first = play(*model, a, 6), second = play(*model, b, 6);
  EXPECT_EQ(first.actions, second.actions);
  EXPECT_EQ(first.values, second.values);
}

INSTANTIATE_TEST_SUITE_P(Planners, AgentOf,
                         testing::Values("pomcp(simulations=200,particles=1000)",
                                         "pomcpow(simulations=200,particles=1000)",
                                         "pft-dpw(simulations=50,particles=1000)",
                                         "despot(simulations=20,scenarios=100,particles=1000)",
                                         "adaops(simulations=10,particles=1000)"));

TEST(Agent, PlaysAnEpisodeToItsEnd) {
  const auto model = load_finite_domain("rock-sample(n=4,k=3)");
  ThreadPool pool(2);
  Agent agent(*model, "despot(simulations=30,scenarios=100,particles=2000)", 1, pool);
  const Played played = play(*model, agent, 100);
  EXPECT_TRUE(played.ended);
  EXPECT_GE(agent.decision().upper, agent.decision().lower);
  EXPECT_FALSE(agent.rows(2, 10).empty());
}

TEST(Agent, BeginsAnewAfterRestart) {
  const auto model = load_finite_domain("tiger");
  ThreadPool pool(1);
  Agent agent(*model, "despot(simulations=20,scenarios=200,particles=2000)", 1, pool);
  const int first = agent.act();
  agent.observe(0);
  agent.act();
  agent.observe(0);
  EXPECT_NE(agent.act(), first);  // heard twice on one side
  agent.restart();
  EXPECT_EQ(agent.act(), first);
  EXPECT_TRUE(agent.belief().weights.empty());
}

TEST(Agent, GivesContinuousActionsAsRecords) {
  const auto model = load_domain("lidar-roomba(actions=continuous)");
  ThreadPool pool(1);
  Agent agent(*model, "pomcpow(simulations=20,particles=500)", 1, pool);
  EXPECT_EQ(play(*model, agent, 3).actions.size(), 3u);
  EXPECT_THAT(error_of([&] { agent.act(); }), testing::HasSubstr("continuous actions"));
}

TEST(Agent, SaysWhatIsWrong) {
  const auto model = load_finite_domain("tiger");
  ThreadPool pool(1);
  Agent agent(*model, "pomcp(simulations=10,particles=100)", 1, pool);
  EXPECT_THAT(error_of([&] { agent.observe(0); }), testing::HasSubstr("call act before observe"));
  agent.act();
  EXPECT_THAT(error_of([&] { agent.observe(0.5); }), testing::HasSubstr("takes the number of an"));
  EXPECT_THAT(error_of([&] { agent.observe(int64_t{0}); }), testing::HasSubstr("4 bytes, not 8"));
  EXPECT_THAT(error_of([&] { Agent(*model, "despto", 1, pool); }), testing::HasSubstr("despot"));
  EXPECT_THAT(error_of([&] { Agent(*model, "despot(lower=x.policy)", 1, pool); }),
              testing::HasSubstr("x.policy"));
}

TEST(Agent, TakesObservationsAsTheyAreWhereItsFilterDoes) {
  const auto model = load_finite_domain("light-dark(clusters=3)");
  const Pomdp& raw = dynamic_cast<const Classified&>(*model).inner();
  ThreadPool pool(1);
  Agent agent(*model, "despot(simulations=20,particles=2000)", 5, pool);
  EXPECT_FALSE(play(raw, agent, 4).actions.empty());
  agent.restart();
  agent.act();
  EXPECT_NE(error_of([&] { agent.observe(1.0); }), "");  // a double is none of its floats
  EXPECT_THAT(error_of([&] { agent.observe(1); }), testing::HasSubstr("raw=false"));
  agent.observe(1.0f);
}

}  // namespace
}  // namespace penumbra::search
