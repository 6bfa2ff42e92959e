// Commands on model files: check, convert, and every command that takes a domain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/program.h"

namespace {

using testing::HasSubstr;

const std::string kData = std::string(PENUMBRA_SOURCE) + "/tests/data/";

std::string temporary(const std::string& name) {
  return testing::TempDir() + "penumbra_cli_" + name;
}

TEST(ModelFiles, AreEvaluatedSimulatedAndSolved) {
  const auto score =
      run_json("evaluate " + kData + "grammar.pomdp --policy 'blind(action=stay)' --episodes 100");
  EXPECT_EQ(score["mean"].is_number(), true);
  EXPECT_THAT(run("simulate " + kData + "grammar.pomdpx --policy random --steps 2").out,
              HasSubstr("step 0: s"));
  const auto solution =
      run_json("solve " + kData + "grammar.pomdpx --backups 8 --episodes 100 --threads 1");
  EXPECT_EQ(solution["status"], "backups");
}

TEST(ModelFiles, WarningsGoToStderrAndStrictRefuses) {
  const std::string arguments = "evaluate " + kData + "dialects.POMDP --policy random --episodes 9";
  const Said said = run(arguments);
  EXPECT_EQ(said.code, 0);
  EXPECT_THAT(said.err, HasSubstr("penumbra: warning: " + kData + "dialects.POMDP:5: "));
  EXPECT_EQ(run(arguments + " --quiet").err, "");
  const Said strict = run(arguments + " --strict");
  EXPECT_EQ(strict.code, 1);
  EXPECT_THAT(strict.err, HasSubstr("dialects.POMDP:5:1: a 'costs:' line"));
}

TEST(ModelFiles, ThatAreNotThereOrTooLargeAreRefused) {
  EXPECT_THAT(run("evaluate nowhere.pomdp --policy random").err, HasSubstr("cannot read nowhere"));
  const Said said = run("convert 'rock-sample(n=8,k=9)' " + temporary("large.pomdpx"));
  EXPECT_EQ(said.code, 0);
  const Said small = run("check " + temporary("large.pomdpx") + " --load-memory 10");
  EXPECT_EQ(small.code, 1);
  EXPECT_THAT(small.err, HasSubstr("GB are allowed"));
  std::filesystem::remove(temporary("large.pomdpx"));
}

TEST(Check, TellsSizesAndFindings) {
  const Said said = run("check " + kData + "grammar.pomdpx");
  EXPECT_EQ(said.code, 0);
  EXPECT_THAT(said.out, HasSubstr("12 states (3 visible x 4 hidden), 2 actions, 4 observations"));
  EXPECT_THAT(said.out, HasSubstr("variables place (3, visible), mood (2), luck (2)"));
  const auto json = run_json("check " + kData + "dialects.POMDP");
  EXPECT_EQ(json["num_states"], 3);
  EXPECT_EQ(json["findings"][0]["kind"], "warning");
  EXPECT_EQ(run("check 'rock-sample(n=3,k=2)'").code, 0);
  EXPECT_THAT(run("check light-dark").out, HasSubstr("no explicit table"));
}

TEST(Convert, GivesTheSameModelInTheOtherFormat) {
  const std::string x = temporary("a.pomdpx"), p = temporary("a.pomdp");
  EXPECT_EQ(run("convert tiger " + x).code, 0);
  EXPECT_EQ(run("convert " + x + " " + p).code, 0);
  const std::string blind = " --policy 'blind(action=listen)' --episodes 10 --json";
  EXPECT_EQ(nlohmann::json::parse(run("evaluate " + p + blind).out)["mean"],
            nlohmann::json::parse(run("evaluate tiger" + blind).out)["mean"]);
  EXPECT_EQ(run("convert 'rock-sample(n=3,k=1)' " + x + " --flat").code, 0);
  EXPECT_EQ(run_json("check " + x)["num_visible"], 1);
  for (const std::string& path : {x, p}) std::filesystem::remove(path);
}

TEST(Convert, RefusesWhatItCannotDo) {
  EXPECT_THAT(run("convert tiger tiger.txt").err, HasSubstr("must end in .pomdp or .pomdpx"));
  EXPECT_THAT(run("convert light-dark x.pomdp").err, HasSubstr("needs an explicit table"));
  EXPECT_THAT(run("convert tiger /nowhere/x.pomdp").err, HasSubstr("cannot create"));
}

}  // namespace
