#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "tests/cli/program.h"

using nlohmann::json;
using testing::HasSubstr;

TEST(EvaluateCommand, ScoresAlwaysEastExactly) {
  const json score = run_json("evaluate 'rock-sample(n=20,k=20)' --policy 'blind(action=east)'");
  EXPECT_NEAR(score.at("mean"), 10 * std::pow(0.95, 19), 1e-5);
  EXPECT_EQ(score.at("episodes"), 10'000);
  EXPECT_EQ(score.at("steps"), 200'000);
  EXPECT_EQ(score.at("truncation_bound"), 0);
}

TEST(EvaluateCommand, JsonIsOneObjectOnOneLine) {
  const Said said = run("evaluate tiger --policy random --episodes 100 --json");
  EXPECT_EQ(said.code, 0);
  EXPECT_EQ(std::count(said.out.begin(), said.out.end(), '\n'), 1);
  const json score = json::parse(said.out);
  for (const char* field :
       {"mean", "standard_error", "low", "high", "episodes", "seconds", "steps", "steps_per_second",
        "truncation_bound", "undiscounted", "domain", "policy", "seed"})
    EXPECT_TRUE(score.contains(field)) << field;
}

TEST(EvaluateCommand, OneEpisodeHasNoError) {
  const json score = run_json("evaluate tiger --policy random --episodes 1");
  EXPECT_TRUE(score.at("mean").is_number());
  EXPECT_TRUE(score.at("standard_error").is_null());
  EXPECT_TRUE(score.at("low").is_null());
}

TEST(EvaluateCommand, TheNumberOfThreadsChangesNothing) {
  for (const std::string domain :
       {"'rock-sample(n=7,k=8)'", "light-dark", "lidar-roomba", "tiger"}) {
    json first;
    for (int threads : {1, 2, 3, 8}) {
      json score = run_json("evaluate " + domain +
                            " --policy random --against random --episodes 3000 --threads " +
                            std::to_string(threads));
      for (json* part : {&score, &score.at("against_score")}) {
        part->erase("seconds");
        part->erase("steps_per_second");
      }
      if (threads == 1) first = score;
      EXPECT_EQ(score, first) << domain << " with " << threads << " threads";
    }
  }
}

// The score of `solve` is that of seed + 1000000.
TEST(EvaluateCommand, AFilePlaysWithABeliefExactlyAsItWasScored) {
  const Folder folder;
  const std::string file = folder.at("rocks.policy"), how = " --execute belief --episodes 150";
  const json solved =
      run_json("solve 'rock-sample(n=4,k=3)' --solver nvi --backups 200 --seed 3 -o " + file + how);
  const json again =
      run_json("evaluate 'rock-sample(n=4,k=3)' --seed 1000003 --policy " + file + how);
  for (const char* field : {"mean", "standard_error", "steps", "episodes"})
    EXPECT_EQ(again.at(field), solved.at("score").at(field)) << field;
  const json networks = run_json("inspect " + file + " --episodes 10").at("networks");
  EXPECT_EQ(networks.at("form"), "gated");
  EXPECT_GT(networks.at("count"), 0);
  EXPECT_EQ(networks.at("inputs").at("bits"), 3);
  EXPECT_THAT(run("inspect " + file + " --episodes 10").out, HasSubstr("linear within a category"));
}

TEST(EvaluateCommand, TheSeedMatters) {
  auto mean = [](const std::string& seed) {
    return run_json("evaluate tiger --policy random --episodes 100 --seed " + seed)
        .at("mean")
        .get<double>();
  };
  EXPECT_EQ(mean("5"), mean("5"));
  EXPECT_NE(mean("5"), mean("6"));
}

TEST(EvaluateCommand, ComparesOnTheSameEpisodes) {
  const json score =
      run_json("evaluate tiger --policy 'blind(action=listen)' --against 'blind(action=listen)'");
  EXPECT_EQ(score.at("difference").at("mean"), 0);
  EXPECT_EQ(score.at("difference").at("standard_error"), 0);
  EXPECT_NEAR(score.at("mean"), -20, 1e-2);
}

TEST(EvaluateCommand, SaysWhichIsBetter) {
  const Said said =
      run("evaluate tiger --policy 'blind(action=listen)' --against random --episodes 1000");
  EXPECT_EQ(said.code, 0);
  EXPECT_THAT(said.out, HasSubstr("the first is better"));
  EXPECT_THAT(said.out, HasSubstr("95 % interval"));
}

TEST(EvaluateCommand, TruncationIsReported) {
  const json score =
      run_json("evaluate tiger --policy 'blind(action=listen)' --max-steps 2 --episodes 10");
  EXPECT_NEAR(score.at("mean"), -1.95, 1e-6);
  EXPECT_EQ(score.at("truncated"), 10);
  EXPECT_NEAR(score.at("truncation_bound"), 0.95 * 0.95 * 100 / 0.05, 1e-6);
}

TEST(EvaluateCommand, LargeCountsMayBeWrittenShort) {
  EXPECT_EQ(run_json("evaluate tiger --policy random --max-steps 1 --episodes 1e3").at("episodes"),
            1000);
}

TEST(EvaluateCommand, ProgressGoesToStderrAndQuietSilencesIt) {
  EXPECT_THAT(run("evaluate tiger --policy random --episodes 10").err,
              HasSubstr("evaluating tiger: 10 episodes\n"));
  EXPECT_EQ(run("evaluate tiger --policy random --episodes 10 --quiet").err, "");
}

TEST(EvaluateCommand, InterruptionEndsWithTheScoreSoFar) {
  const Said said = run("evaluate tiger --policy random --episodes 1e12 --max-steps 20 --json",
                        "timeout --preserve-status -s INT 0.5");
  EXPECT_EQ(said.code, 130);
  const json score = json::parse(said.out);
  EXPECT_EQ(score.at("interrupted"), true);
  EXPECT_GT(score.at("episodes"), 0);
  EXPECT_THAT(said.err, HasSubstr("interrupted"));
}

TEST(EvaluateCommand, APlannerScoresTheSameWithAnyNumberOfThreads) {
  json first;
  for (const char* threads : {"1", "2"}) {
    json score =
        run_json(std::string("evaluate 'rock-sample(n=4,k=3)' --episodes 6 --threads ") + threads +
                 " --policy 'despot(simulations=5,scenarios=50,particles=500)' --against "
                 "'pomcp(simulations=50,particles=500)'");
    for (json* part : {&score, &score.at("against_score")}) {
      part->erase("seconds");
      part->erase("steps_per_second");
    }
    if (first.is_null()) first = score;
    EXPECT_EQ(score, first);
  }
}

// The controller's groups are made of the same observations on the way.
TEST(EvaluateCommand, APlannerMayFilterWhatAControllerSeesInGroups) {
  const std::string policy =
      (std::filesystem::temp_directory_path() / ("groups" + std::to_string(::getpid()) + ".policy"))
          .string();
  run("solve light-dark --solver nvi --backups 50 --episodes 10 --quiet -o " + policy);
  const json alone = run_json("evaluate light-dark --episodes 20 --policy " + policy);
  const json both = run_json(
      "evaluate light-dark --episodes 20 --policy "
      "'despot(simulations=2,particles=1000)' --against " +
      policy);
  std::filesystem::remove(policy);
  EXPECT_EQ(both.at("against_score").at("mean"), alone.at("mean"));
}

TEST(EvaluateCommand, EndsWithTheEpisodesSoFar) {
  const json score = run_json("evaluate tiger --policy random --episodes 1e11 --time 1s");
  EXPECT_LT(score.at("episodes"), 1e11);
  EXPECT_EQ(score.at("interrupted"), false);
}

TEST(PlannersCommand, ListsPlannersAndParameters) {
  const json all = run_json("planners");
  ASSERT_EQ(all.size(), 6);
  for (const json& planner : all) {
    const json parameters = run_json("planners " + planner.at("name").get<std::string>());
    EXPECT_EQ(parameters.at(0).at("name"), "simulations");
  }
}
