#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/program.h"

using testing::HasSubstr;

// tests/packages drives the shells; here is what they are told.

TEST(Completions, ComeWithWhatTheyMean) {
  const Said said = run("complete dom");
  EXPECT_EQ(said.code, 0);
  EXPECT_EQ(said.out, "domains\tlist the problems and their parameters\n");
  EXPECT_EQ(said.err, "");
}

TEST(Completions, OfAnOptionInOneWordKeepItsName) {
  EXPECT_THAT(run("complete solve tiger --solver=nv").out, HasSubstr("--solver=nvi\t"));
  EXPECT_THAT(run("complete solve tiger --solver = nv").out, testing::StartsWith("nvi\t"));
}

TEST(Completions, ReadTheSolverInFrontOfTheCursor) {
  EXPECT_THAT(run("complete solve tiger --solver mcvi --st").out, HasSubstr("--start\t"));
  EXPECT_EQ(run("complete solve tiger --solver nonsense --st").out,
            "--strict\trefuse a model "
            "file that would be read with a warning\n");
}

TEST(Completions, NeverRunCodeOfOthers) {
  const Folder folder;
  std::ofstream(folder.at("model.cpp")) << "#error this was compiled\n";
  const Said said = run("complete solve " + folder.at("model.cpp") + " --ti");
  EXPECT_EQ(said.code, 0);
  EXPECT_EQ(said.err, "");
  EXPECT_THAT(said.out, HasSubstr("--time\t"));
  EXPECT_EQ(run("complete solve '" + folder.at("model.cpp") + "(no'").out, "");
}

TEST(Completions, OfNonsenseAreNone) {
  for (const char* line : {"complete nonsense ''", "complete solve tiger --nonsense=",
                           "complete solve tiger lion ''", "complete solve '((('"}) {
    const Said said = run(line);
    EXPECT_EQ(said.code, 0) << line;
    EXPECT_EQ(said.out + said.err, "") << line;
  }
}

TEST(Manual, HasAPageOfEveryCommand) {
  const Folder folder;
  ASSERT_EQ(run("manual " + folder.at("man")).code, 0);
  std::istringstream help(run("--help").out);
  int commands = 0;
  bool listed = false;
  for (std::string line; std::getline(help, line);) {
    if (line == "Commands:") {
      listed = true;
    } else if (listed && line.starts_with("  ") && line[2] != ' ') {
      const std::string name = line.substr(2, line.find(' ', 2) - 2);
      EXPECT_THAT(text_of(folder.at("man/penumbra-" + name + ".1")), HasSubstr(".SH \"EXAMPLES\""))
          << name;
      ++commands;
    } else if (line.empty()) {
      listed = false;
    }
  }
  EXPECT_GE(commands, 16);
}

TEST(Manual, SaysWhatHelpSays) {
  const Folder folder;
  ASSERT_EQ(run("manual " + folder.at("man")).code, 0);
  const std::string solve = text_of(folder.at("man/penumbra-solve.1"));
  EXPECT_THAT(solve, HasSubstr("\\fBpenumbra solve\\fR \\fIDOMAIN [OPTIONS]\\fR"));
  EXPECT_THAT(solve, HasSubstr("\\fB\\-o, \\-\\-output\\fR \\fITEXT\\fR\nwhere the policy goes"));
  EXPECT_THAT(solve, HasSubstr(".SS \"nvi\""));
  EXPECT_THAT(solve, HasSubstr("\\(aqrock\\-sample(n=7,k=8,map_seed=1)\\(aq"));
  EXPECT_THAT(text_of(folder.at("man/penumbra-domains.1")), HasSubstr("\\fBmap_seed\\fR"));
  EXPECT_THAT(text_of(folder.at("man/penumbra.1")), HasSubstr("Exit codes"));
}

TEST(Manual, CannotBeWrittenIsAnError) {
  const Said said = run("manual /dev/null/man");
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err, HasSubstr("cannot make the folder /dev/null/man"));
  EXPECT_THAT(run("manual").err, HasSubstr("there is no command 'manual'"));
}
