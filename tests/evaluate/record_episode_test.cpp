#include "penumbra/evaluate/record_episode.h"

#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/policy/named.h"

namespace penumbra {
namespace {

const RngKey kKey = RngKey::from_seed(1).fold("evaluate");

TEST(RecordEpisode, IsTheEpisodeOfTraceWithABeliefAtEveryMoment) {
  const auto model = load_finite_domain("rock-sample(n=4,k=3)");
  const auto policy = named_policy("random", *model);
  const RecordedEpisode episode = record_episode(*model, *policy, kKey, 3, {.max_steps = 20});
  const auto steps = trace(*model, *policy, kKey, 3, 20);
  ASSERT_EQ(episode.steps.size(), steps.size());
  EXPECT_EQ(episode.steps.back().next, steps.back().next);
  ASSERT_EQ(episode.moments.size(), steps.size() + 1);
  for (const RecordedMoment& m : episode.moments) {
    EXPECT_EQ(m.state.size(), model->scene().fields.size());
    EXPECT_EQ(m.means.size(), m.state.size());
    EXPECT_TRUE(m.cloud.empty());
  }
  for (int rock = 2; rock < 5; ++rock) EXPECT_NEAR(episode.moments[0].means[rock], 0.5, 0.05);
}

TEST(RecordEpisode, ChecksMoveTheBeliefAboutTheirRock) {
  const auto model = load_finite_domain("rock-sample(n=4,rocks=[(1,1),(4,4)])");
  const auto policy = named_policy("blind(action=check1)", *model);
  const RecordedEpisode episode = record_episode(*model, *policy, kKey, 0, {.max_steps = 2});
  const RecordedMoment& last = episode.moments.back();
  EXPECT_NEAR(last.means[2], last.state[2], 1e-6);  // on the rock a check is right
  EXPECT_NEAR(last.means[3], 0.5, 0.05);
}

TEST(RecordEpisode, PositionsAreACloud) {
  for (const char* domain : {"light-dark", "lidar-roomba", "laser-tag", "sub-hunt", "pocman"}) {
    const auto model = load_finite_domain(domain);
    const auto policy = named_policy("blind(action=0)", *model);
    const auto episode = record_episode(*model, *policy, kKey, 0, {.max_steps = 3, .cloud = 10});
    EXPECT_EQ(episode.moments[1].cloud.size(), size_t(10) * model->scene().cloud_fields);
  }
}

TEST(RecordEpisode, WithoutASceneThereAreOnlySteps) {
  const auto model = load_domain("tiger");
  const auto episode = record_episode(*model, *named_policy("random", *model), kKey, 0);
  EXPECT_FALSE(episode.steps.empty());
  EXPECT_TRUE(episode.moments.empty());
}

}  // namespace
}  // namespace penumbra
