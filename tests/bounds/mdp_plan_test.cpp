#include "penumbra/bounds/mdp_plan.h"

#include <gtest/gtest.h>

#include "domains/registry.h"

namespace penumbra {
namespace {

TEST(ActionStudy, KeepsOneOfTheActionsThatOnlyLook) {
  ThreadPool pool(1);
  const auto model = load_domain("rock-sample(n=5,k=6)");
  const ActionStudy study = study_actions(*model, RngKey::from_seed(1), pool);
  EXPECT_EQ(study.actions, (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_FALSE(study.any_random());
  const auto tiger = load_domain("tiger");
  EXPECT_EQ(study_actions(*tiger, RngKey::from_seed(1), pool).random, (std::vector<char>{0, 1, 1}));
}

TEST(MdpPlan, EarnsTheOptimumWithTheExactValue) {
  ThreadPool pool(1);
  const auto model = load_domain("rock-sample(n=7,k=8)");
  const RngKey key = RngKey::from_seed(1);
  const auto values = make_mdp_value(*model, {}, key, pool);
  const MdpPlanner planner(*model, *values, key, pool, {.max_states = 200});
  RecordBuffer start(model->state_size(), 20);
  model->sample_initial({key}, start);
  std::vector<double> exact(20);
  model->mdp_value(start, exact);
  for (int e = 0; e < 20; ++e) {
    RecordBuffer state(model->state_size(), 1);
    state.copy_from(0, start.at(e));
    StepBuffers buffers(*model, 1);
    const StepResults out = buffers.results(1);
    double sum = 0, factor = 1;
    for (bool ended = false; !ended;) {
      const MdpPlan plan = planner.plan(state.at(0), key.fold(e));
      ASSERT_FALSE(plan.actions.empty());
      EXPECT_EQ(plan.states.count(), plan.actions.size());
      for (int action : plan.actions) {
        model->step(state, {&action, 1}, {key}, out);
        sum += factor * out.reward[0];
        factor *= 0.95;
        ended = out.ended[0];
        state.copy_from(0, out.next.at(0));
      }
      EXPECT_EQ(ended, plan.ends);
    }
    EXPECT_NEAR(sum, exact[e], 0.01);
  }
}

TEST(MdpPlan, StopsWhereChanceDecides) {
  ThreadPool pool(1);
  const auto model = load_domain("tiger");
  const RngKey key = RngKey::from_seed(1);
  const auto values = make_mdp_value(*model, {}, key, pool);
  const MdpPlanner planner(*model, *values, key, pool, {.outcomes = 16});
  const int32_t tiger_right = 1;
  const MdpPlan plan = planner.plan(reinterpret_cast<const std::byte*>(&tiger_right), key);
  EXPECT_EQ(plan.actions, std::vector<int>{1});  // open-left; where the tiger goes is unknown
  EXPECT_FALSE(plan.ends);
  EXPECT_NEAR(plan.value, 200, 0.5);  // the search stops at a tolerance
}

TEST(MdpPlan, OfATerminalStateIsEmpty) {
  ThreadPool pool(1);
  const auto model = load_domain("light-dark");
  const RngKey key = RngKey::from_seed(1);
  const auto values = make_mdp_value(*model, {}, key, pool);
  const MdpPlanner planner(*model, *values, key, pool);
  RecordBuffer state(model->state_size(), 1);
  model->sample_initial({key}, state);
  StepBuffers buffers(*model, 1);
  const int stop = 1;
  model->step(state, {&stop, 1}, {key}, buffers.results(1));
  EXPECT_TRUE(planner.plan(buffers.next.at(0), key).actions.empty());
}

}  // namespace
}  // namespace penumbra
