#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.h"

using testing::HasSubstr;
using testing::StartsWith;

TEST(Usage, HelpTeachesByExamplesAndStatesExitCodes) {
  const Said said = run("--help");
  EXPECT_EQ(said.code, 0);
  EXPECT_THAT(said.out, HasSubstr("Examples:"));
  EXPECT_THAT(said.out, HasSubstr("Exit codes: 0 "));
  EXPECT_EQ(said.err, "");
}

TEST(Usage, EveryCommandHasExamples) {
  for (const std::string command : {"solve", "solvers", "domains", "evaluate", "simulate"}) {
    const Said said = run(command + " --help");
    EXPECT_EQ(said.code, 0);
    EXPECT_THAT(said.out, HasSubstr("Examples:\n  penumbra " + command));
    EXPECT_EQ(run("help " + command).out, said.out);
  }
}

TEST(Usage, ExamplesInHelpWork) {
  std::istringstream help(run("evaluate --help").out + run("simulate --help").out +
                          run("domains --help").out);
  int tried = 0;
  for (std::string line; std::getline(help, line);) {
    if (line.rfind("  penumbra ", 0) != 0) continue;
    line = line.substr(11, line.find("   ", 11) - 11);  // an explanation may follow
    const size_t file = line.find(" > ");
    if (file != std::string::npos) line.resize(file);
    const Said said = run(line);
    EXPECT_EQ(said.code, 0) << line << "\n" << said.err;
    ++tried;
  }
  EXPECT_GE(tried, 9);
}

TEST(Usage, VersionIsOneLine) {
  const Said said = run("--version");
  EXPECT_EQ(said.code, 0);
  EXPECT_THAT(said.out,
              testing::MatchesRegex("penumbra [0-9]+\\.[0-9]+\\.[0-9]+( \\([^ ]+\\))?\n"));
}

TEST(Usage, NothingAskedIsAnError) {
  const Said said = run("");
  EXPECT_EQ(said.code, 1);
  EXPECT_EQ(said.out, "");
  EXPECT_THAT(said.err, HasSubstr("Usage: penumbra"));
}

struct Mistake {
  const char* arguments;
  const char* says;
  friend std::ostream& operator<<(std::ostream& out, const Mistake& m) {
    return out << m.arguments;
  }
};
class BadInput : public testing::TestWithParam<Mistake> {};

TEST_P(BadInput, GetsOneClearLine) {
  const Said said = run(GetParam().arguments);
  EXPECT_EQ(said.code, 1);
  EXPECT_EQ(said.out, "");
  EXPECT_THAT(said.err, StartsWith("penumbra: "));
  EXPECT_THAT(said.err, HasSubstr(GetParam().says));
  EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
}

INSTANTIATE_TEST_SUITE_P(
    All, BadInput,
    testing::Values(
        Mistake{"evalute", "did you mean 'evaluate'"},
        Mistake{"frobnicate", "there are solve, resume"},
        Mistake{"--seed 3 evaluate tiger", "options go after it"},
        Mistake{"evaluate", "DOMAIN is required"},
        Mistake{"evaluate tiger", "--policy is required"},
        Mistake{"evaluate tiger lion --policy random", "'lion' is one argument too many"},
        Mistake{"evaluate tiger --policy random --epsodes 3", "did you mean '--episodes'"},
        Mistake{"evaluate tiger --policy random --episodes", "--episodes needs one value"},
        Mistake{"evaluate tiger --policy random --policy random", "--policy is given twice"},
        Mistake{"evaluate tigr --policy random", "did you mean 'tiger'"},
        Mistake{"evaluate 'tiger(discount=nan)' --policy random", "a number from 0 to 0.999999"},
        Mistake{"evaluate 'tiger(discount=inf)' --policy random", "a number from 0 to 0.999999"},
        Mistake{"evaluate 'tiger(acuracy=1)' --policy random", "did you mean 'accuracy'"},
        Mistake{"evaluate 'rock-sample(n=0)' --policy random", "an integer from 1 to 1000"},
        Mistake{"evaluate 'tiger(clusters=3)' --policy random", "finite set of observations"},
        Mistake{"evaluate tiger --policy clever", "blind(action=NAME)"},
        Mistake{"evaluate tiger --policy despto", "did you mean 'despot'"},
        Mistake{"evaluate tiger --policy 'despot(scenarois=3)'", "did you mean 'scenarios'"},
        Mistake{"evaluate tiger --policy 'despot(time=soon)'", "a duration for one step"},
        Mistake{"evaluate tiger --policy 'despot(time=1s,simulations=2)'", "not both"},
        Mistake{"evaluate tiger --policy 'despot(lower=gone.policy)'", "'gone.policy'"},
        Mistake{"evaluate tiger --policy 'despot(lower=no/such)'", "no policy file 'no/such'"},
        Mistake{"evaluate tiger --policy 'pomcp(leaf=mpd)'", "leaf is auto, rollout, mdp"},
        Mistake{"evaluate 'lidar-roomba(actions=continuous)' --policy despot", "set actions=9"},
        Mistake{"evaluate tiger --policy random --against pomcp --run x", "leave out --against"},
        Mistake{"planners despto", "did you mean 'despot'"},
        Mistake{"evaluate tiger --policy 'blind(action=east)'", "it has listen, open-left"},
        Mistake{"evaluate tiger --policy no/such/file", "there is no policy file 'no/such/file'"},
        Mistake{"evaluate tiger --policy gone.policy", "there is no policy file 'gone.policy'"},
        Mistake{"evaluate tiger --policy random --against gone.policy", "'gone.policy'"},
        Mistake{"evaluate tiger --policy random --episodes 0", "from 1 to"},
        Mistake{"evaluate tiger --policy random --episodes -5", "not '-5'"},
        Mistake{"evaluate tiger --policy random --episodes nan", "not 'nan'"},
        Mistake{"evaluate tiger --policy random --episodes 1e300", "not '1e300'"},
        Mistake{"evaluate tiger --policy random --episodes 2.5", "whole number"},
        Mistake{"evaluate tiger --policy random --max-steps 0", "--max-steps must be"},
        Mistake{"evaluate tiger --policy random --threads 100000", "from 0 to 1024"},
        Mistake{"evaluate tiger --policy random --threads -1", "from 0 to 1024"},
        Mistake{"evaluate tiger --policy random --seed x", "not 'x'"},
        Mistake{"simulate tiger --policy random --episode -1", "not '-1'"},
        Mistake{"simulate tiger --policy random --steps 0", "--steps must be"},
        Mistake{"domains lion", "there is no domain 'lion'"}));

TEST(Usage, BadSyntaxIsShownWithItsPlace) {
  const Said said = run("evaluate 'tiger(discount)' --policy random");
  EXPECT_EQ(said.code, 1);
  EXPECT_EQ(said.err,
            "penumbra: parameters are written name=value\n  tiger(discount)\n        ^\n");
}

TEST(Usage, AFullDiskIsReported) {
  const Said said = run("evaluate tiger --policy random --episodes 10 --quiet >/dev/full");
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err, HasSubstr("cannot write the result"));
}
