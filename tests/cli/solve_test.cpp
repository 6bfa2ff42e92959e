#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/program.h"

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

namespace {

const std::string kTiny = "'rock-sample(n=3,k=2)' --episodes 1000 ";

}  // namespace

TEST(SolveCommand, JsonIsOneObjectWithTheScore) {
  const json solved = run_json("solve " + kTiny + "--backups 50");
  for (const char* field : {"status", "seconds", "estimate", "upper", "nodes", "score"})
    EXPECT_TRUE(solved.contains(field)) << field;
  EXPECT_EQ(solved.at("status"), "backups");
  EXPECT_EQ(solved.at("score").at("episodes"), 1000);
}

TEST(SolveCommand, ThePolicyIsSavedAndScoresAgain) {
  const Folder folder;
  const std::string file = folder.path + "/a.policy";
  const json solved = run_json("solve " + kTiny + "--backups 50 -o " + file);
  const json score = run_json("evaluate 'rock-sample(n=3,k=2)' --policy " + file);
  EXPECT_NEAR(score.at("mean"), solved.at("score").at("mean"),
              5 * solved.at("score").at("standard_error").get<double>() + 1e-6);
}

TEST(SolveCommand, MacroActionsGiveAPlainPolicyOfTheModel) {
  const Folder folder;
  const std::string file = folder.path + "/a.policy";
  const json solved = run_json("solve " + kTiny + "--macro-actions own --backups 30 -o " + file);
  EXPECT_EQ(solved.at("status"), "backups");
  const json score = run_json("evaluate 'rock-sample(n=3,k=2)' --policy " + file);
  EXPECT_NEAR(score.at("mean"), solved.at("score").at("mean"),
              5 * solved.at("score").at("standard_error").get<double>() + 1e-6);
  EXPECT_THAT(run("solve tiger --macro-actions own").err, HasSubstr("declares no macro-actions"));
  EXPECT_THAT(run("solve tiger --macro-actions repeat=1").err, HasSubstr("repeat=K"));
  EXPECT_THAT(run("solve tiger --solver ppo --macro-actions repeat=2").err,
              HasSubstr("trains a network"));
}

TEST(SolveCommand, APolicyWithoutClustersIsSavedAndPlayedAndNotExported) {
  const Folder folder;
  const std::string file = folder.path + "/a.policy";
  const Said said =
      run("solve light-dark --solver mcvi --observations continuous --backups 4 "
          "--episodes 100 --quiet -o " +
          file);
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(run("evaluate light-dark --episodes 100 --policy " + file).code, 0);
  EXPECT_THAT(run("export " + file + " -o " + folder.path + "/a.h").err,
              HasSubstr("solve with clusters"));
}

TEST(SolveCommand, APolicyOfAnotherProblemIsRefused) {
  const Folder folder;
  const std::string file = folder.path + "/a.policy";
  run("solve " + kTiny + "--backups 10 -o " + file);
  const Said said = run("evaluate 'rock-sample(n=3,k=2,map_seed=2)' --policy " + file);
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err, HasSubstr("not the same problem"));
}

TEST(SolveCommand, APolicyOfAnotherLengthIsRefused) {
  const Folder folder;
  const std::string file = folder.at("a.policy");
  run("solve t-maze --solver qmdp --episodes 10 --quiet -o " + file);
  EXPECT_EQ(run("evaluate 't-maze(length=10)' --episodes 10 --policy " + file).code, 0);
  const Said said = run("evaluate 't-maze(length=5)' --policy " + file);
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err, HasSubstr("made for t-maze, which is not the same problem as t-maze(len"));
}

TEST(SolveCommand, SameWorkGivesTheSameFileForAnyNumberOfThreads) {
  const Folder folder;
  auto bytes = [&](int threads) {
    const std::string file = folder.path + "/" + std::to_string(threads) + ".policy";
    run("solve " + kTiny + "--backups 50 --quiet --threads " + std::to_string(threads) + " -o " +
        file);
    return text_of(file);
  };
  const std::string one = bytes(1);
  EXPECT_FALSE(one.empty());
  for (int threads : {2, 3, 8}) EXPECT_EQ(bytes(threads), one) << threads;
}

TEST(SolveCommand, InterruptionEndsWithTheBestPolicySoFar) {
  const Folder folder;
  const std::string file = folder.path + "/a.policy";
  const Said said = run("solve 'rock-sample(n=7,k=8)' --time 1h --episodes 100 --json -o " + file,
                        "timeout --preserve-status -s INT 1");
  EXPECT_EQ(said.code, 130);
  EXPECT_EQ(json::parse(said.out).at("status"), "cancelled");
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST(SolveCommand, MistakesAreToldBeforeTheWork) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"solve tiger --solver clever", "there is no solver 'clever'; there are nvi"},
      {"solve tiger --time soon", "--time must be a duration such as 90s, 10m, 2h or 1h30m"},
      {"solve tiger --gap nan", "--gap must be a number above 0"},
      {"solve tiger -o /no/such/folder/a.policy", "there is no folder /no/such/folder"},
      {"solve tiger --episodes 0", "--episodes must be a whole number"},
      {"solvers clever", "there is no solver 'clever'"},
      {"solve tiger --solver sarsop --execute belief",
       "which nvi, mcvi, cells, pomcgs make; sarsop makes"},
      {"solve light-dark --solver mcvi --observations continuous --execute belief",
       "mcvi makes no such controller"},
      {"solve tiger --solver ppo --execute belief", "ppo trains a network"},
      {"solve tiger --solver qmdp --cell-samples 5", "the solver qmdp has no option 'cell-s"},
      {"solve tiger --solver sarsop --trial-gab 1",
       "no option '--trial-gab' with the solver sarsop (did you mean '--trial-gap'?)"},
      {"solve 'light-dark(grid=[0])'", "a grid whose steps are all 0 changes nothing"},
      {"solve 'lidar-roomba(actions=continuous)' --solver sarsop", "set actions=9 or actions=33"},
      {"solve 'lidar-roomba(actions=continuous)' --execute belief",
       "--execute belief needs finite actions"},
      {"solve 'lidar-roomba(actions=continuous)' -o a.pg", "this format holds finite actions"},
  };
  for (const auto& [line, says] : mistakes) {
    const Said said = run(line);
    EXPECT_EQ(said.code, 1) << line;
    EXPECT_EQ(said.out, "") << line;
    EXPECT_THAT(said.err, HasSubstr(says)) << line;
  }
}

TEST(SolveCommand, ContinuousActionsNeedNoTable) {
  const Folder folder;
  const std::string file = folder.at("roomba.policy");
  for (const char* solver : {"nvi --start blind", "mcvi", "pomcgs"}) {
    const std::string domain = "'lidar-roomba(sensor=bumper,actions=continuous)'";
    const Said said = run("solve " + domain + " --solver " + solver +
                          " --backups 8 --time 20s --episodes 200 -o " + file);
    ASSERT_EQ(said.code, 0) << solver << said.err;
    EXPECT_EQ(run("evaluate " + domain + " --policy " + file + " --episodes 50").code, 0);
    EXPECT_EQ(run("simulate " + domain + " --policy " + file).code, 0);
    EXPECT_EQ(run("inspect " + file + " --episodes 20").code, 0);
    for (const char* ending : {".h", ".json", ".dot"})
      EXPECT_EQ(run("export " + file + " -o " + folder.at(std::string("roomba") + ending)).code, 0);
  }
}

TEST(SolveCommand, HelpHasTheOptionsOfTheSolverThatIsNamed) {
  const std::string general = run("solve --help").out;
  EXPECT_THAT(general, HasSubstr("--backups"));
  EXPECT_THAT(general, HasSubstr("penumbra solve --solver nvi --help"));
  EXPECT_THAT(general, Not(HasSubstr("--trial-gap")));
  const std::string sarsop = run("solve --solver sarsop --help").out;
  EXPECT_THAT(sarsop, HasSubstr("Options of sarsop:"));
  EXPECT_THAT(sarsop, HasSubstr("--trial-gap"));
  EXPECT_THAT(sarsop, Not(HasSubstr("--minibatches")));
  EXPECT_THAT(run("solve --help --solver=ppo").out, HasSubstr("--minibatches"));
}

TEST(SolversCommand, ListsSolversAndOptions) {
  EXPECT_THAT(run("solvers").out, HasSubstr("nvi"));
  const json options = run_json("solvers nvi");
  ASSERT_FALSE(options.empty());
  for (const json& option : options)
    for (const char* field : {"name", "default", "allowed", "help"})
      EXPECT_TRUE(option.contains(field));
}
