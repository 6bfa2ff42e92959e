#include "penumbra/evaluate/controller_use.h"

#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/evaluate/score.h"

namespace penumbra {
namespace {

// Listens once, then opens the door away from what it heard.
Fsc listen_once() {
  Fsc fsc;
  fsc.num_observations = 2;
  fsc.add_node(0);
  fsc.add_node(1);
  fsc.add_node(2);
  fsc.edges = {2, 1, 0, 0, 0, 0};
  return fsc;
}

TEST(ControllerUse, CountsWhatIsTaken) {
  const auto model = load_domain("tiger");
  ThreadPool pool(1);
  const ControllerUse use = controller_use(*model, listen_once(), 4000, 10, 1, pool);
  EXPECT_EQ(use.episodes_with[0], 4000u);
  EXPECT_EQ(use.visits[0] + use.visits[1] + use.visits[2], 40'000u);
  EXPECT_EQ(use.taken[0] + use.taken[1], use.visits[0]);
  EXPECT_NEAR(double(use.taken[0]) / double(use.visits[0]), 0.5, 0.02);
}

TEST(ControllerUse, DoesNotDependOnThreads) {
  const auto model = load_domain("tiger");
  ThreadPool one(1), three(3);
  const auto a = controller_use(*model, listen_once(), 3000, 10, 7, one);
  const auto b = controller_use(*model, listen_once(), 3000, 10, 7, three);
  EXPECT_EQ(a.taken, b.taken);
  EXPECT_EQ(a.episodes_with, b.episodes_with);
}

TEST(ControllerUse, IsThatOfTheEpisodesOfEvaluate) {
  const auto model = load_domain("t-maze");
  Fsc fsc;  // a step along the corridor, then up
  fsc.num_observations = model->facts().num_observations;
  fsc.add_node(0);
  fsc.add_node(1);
  fsc.edges.assign(size_t(2) * fsc.num_observations, 1);
  ThreadPool pool(2);
  const ControllerUse use = controller_use(*model, fsc, 700, 30, 5, pool);
  const Score score = evaluate(*model, FscPolicy(fsc, model->facts()),
                               {.episodes = 700, .seed = 5, .max_steps = 30}, pool);
  EXPECT_EQ(use.steps(), score.steps);
  EXPECT_EQ(use.ended[0] + use.ended[1] + score.truncated, 700u);
}

TEST(ControllerUse, StepsFromStart) {
  Fsc fsc = listen_once();
  fsc.add_node(0);
  fsc.edges.resize(8, 1);  // leads on, but nothing leads to it
  EXPECT_EQ(steps_from_start(fsc), (std::vector<int>{0, 1, 1, -1}));
}

}  // namespace
}  // namespace penumbra
