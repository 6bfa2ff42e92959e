#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.h"

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

TEST(SimulateCommand, DrawsGridWorlds) {
  const Said said = run("simulate 'rock-sample(n=3,rocks=[(2,1)])' --policy 'blind(action=east)'");
  EXPECT_EQ(said.code, 0);
  EXPECT_THAT(said.out, HasSubstr("step 0: at (1,1)"));
  EXPECT_THAT(said.out, HasSubstr(". . . |\n. . . |\n@ "));
  EXPECT_THAT(said.out, HasSubstr("does east, sees none, reward 10"));
  EXPECT_THAT(said.out, HasSubstr("ended after 3 steps, return 9.0250"));
}

TEST(SimulateCommand, PlainDrawsNothing) {
  const Said said = run("simulate 'rock-sample(n=3,k=1)' --policy random --plain");
  EXPECT_THAT(said.out, Not(HasSubstr("|")));
}

TEST(SimulateCommand, CutsAtSteps) {
  const Said said = run("simulate tiger --policy random --steps 4");
  EXPECT_THAT(said.out, HasSubstr("cut after 4 steps"));
}

TEST(SimulateCommand, ShowsTheEpisodesOfEvaluate) {
  double sum = 0;
  for (int episode = 0; episode < 3; ++episode)
    sum += run_json(
               "simulate 'rock-sample(n=3,k=2)' --policy random --seed 9 --steps 1000 "
               "--episode " +
               std::to_string(episode))
               .at("return")
               .get<double>();
  const json score = run_json(
      "evaluate 'rock-sample(n=3,k=2)' --policy random --seed 9 --episodes 3 "
      "--max-steps 1000");
  EXPECT_NEAR(score.at("mean"), sum / 3, 1e-9);
}

TEST(SimulateCommand, JsonHoldsTheSteps) {
  const json shown = run_json("simulate light-dark --policy 'blind(action=right)' --steps 3");
  ASSERT_EQ(shown.at("steps").size(), 3);
  EXPECT_EQ(shown.at("steps")[2].at("action"), "right");
  EXPECT_EQ(shown.at("steps")[0].at("next"), shown.at("steps")[1].at("state"));
  EXPECT_EQ(shown.at("ended"), false);
}

TEST(SimulateCommand, EveryDomainHasATrace) {
  for (const std::string domain : {"rock-sample", "light-dark", "lidar-roomba", "tiger"})
    EXPECT_EQ(run("simulate " + domain + " --policy random").code, 0) << domain;
}

TEST(SimulateCommand, ShowsWhatAPlannerThinks) {
  const std::string arguments =
      "simulate tiger --policy 'despot(simulations=5,particles=500)' --steps 2";
  EXPECT_THAT(run(arguments).out, HasSubstr("plans: worth "));
  const json step = run_json(arguments).at("steps").at(1);
  EXPECT_LE(step.at("decision").at("lower"), step.at("decision").at("upper"));
}
