// The program on a terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/screen.h"
#include "tests/cli/started.h"
#include "tests/folder.h"

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace {

const std::vector<std::string> kShort{
    "solve", "rock-sample(n=4,k=3)", "--solver", "nvi", "--backups", "500", "--episodes", "500"};
const std::vector<std::string> kLong{"solve", "rock-sample(n=7,k=8)", "--solver", "nvi", "--time",
                                     "10m",   "--episodes",           "500"};

const Started::Environment kUtf8{{"LANG", "C.UTF-8"}};

// The block is gone, and nothing is left to mend.
void expect_clean(const Started& program, int columns) {
  const Screen screen(columns, program.said);
  EXPECT_EQ(screen.unknown, "");
  EXPECT_THAT(screen.text(), StartsWith("solving rock-sample"));
  for (const char* part : {"█", "░", "[#", "accepted", "solving\n", "scoring"})
    EXPECT_THAT(screen.text(), Not(HasSubstr(part)));
}

}  // namespace

TEST(Terminal, SolveShowsABlockAndThenTheResultAlone) {
  Started program(kShort, kUtf8, {80, 24});
  EXPECT_EQ(program.end(), 0);
  EXPECT_THAT(program.said, HasSubstr("setting up"));
  EXPECT_THAT(program.said, HasSubstr("░"));
  EXPECT_THAT(program.said, HasSubstr("accepted"));
  expect_clean(program, 80);
  const std::string text = Screen(80, program.said).text();
  EXPECT_THAT(text, HasSubstr("\nrock-sample(n=4,k=3), solver nvi, seed 1: ended by backups\n"));
}

TEST(Terminal, CtrlCEndsWithTheResultAndACleanTerminal) {
  Started program(kLong, kUtf8, {80, 24});
  ASSERT_TRUE(program.wait_for("accepted"));
  program.type("\x03");
  EXPECT_EQ(program.end(), 130);
  EXPECT_THAT(program.said, HasSubstr("Ctrl-C again"));
  expect_clean(program, 80);
  EXPECT_THAT(Screen(80, program.said).text(), HasSubstr("ended by cancelled"));
}

TEST(Terminal, BlocksAreDrawnInPlace) {
  Started program(kLong, kUtf8, {80, 24});
  ASSERT_TRUE(program.wait_for("accepted"));
  const size_t then = program.said.size();
  ASSERT_TRUE(program.wait_until([&](const std::string& all) { return all.size() > then + 4000; }));
  const std::string text = Screen(80, program.said).text();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n') < 14, true) << text;
}

TEST(Terminal, OfTwentyColumnsDoesNotBreakIt) {
  Started program(kShort, kUtf8, {20, 10});
  EXPECT_EQ(program.end(), 0);
  expect_clean(program, 20);
}

TEST(Terminal, OtherLocalesGetAscii) {
  for (const char* locale : {"", "C", "de_DE.CP1252", "en_US.ISO-8859-1"}) {
    Started program(kShort, {{"LC_ALL", locale}}, {80, 24});
    EXPECT_EQ(program.end(), 0);
    for (const unsigned char c : program.said) ASSERT_LT(c, 0x80) << locale;
    EXPECT_THAT(program.said, HasSubstr("[#"));
    expect_clean(program, 80);
  }
}

TEST(Terminal, DumbOnesAndNoColourGetPlainLines) {
  for (const auto& wish : {Started::Environment{{"TERM", "dumb"}}, {{"NO_COLOR", "1"}}}) {
    Started program(kShort, wish, {80, 24});
    EXPECT_EQ(program.end(), 0);
    EXPECT_THAT(program.said, Not(HasSubstr("\033")));
    EXPECT_THAT(program.said, HasSubstr(" backups  "));
    EXPECT_THAT(program.said, HasSubstr("  claimed "));
  }
}

TEST(Terminal, QuietIsQuiet) {
  std::vector<std::string> quiet = kShort;
  quiet.insert(quiet.end(), {"--quiet", "--json"});
  Started program(quiet, kUtf8, {80, 24});
  EXPECT_EQ(program.end(), 0);
  EXPECT_THAT(program.said, StartsWith("{\"domain\""));
}

TEST(Terminal, AResumedRunShowsItsPast) {
  const Folder f;
  std::vector<std::string> first = kShort;
  first.insert(first.end(), {"--run", f.at("a"), "--quiet"});
  ASSERT_EQ(Started(first).end(), 0);
  Started program({"resume", f.at("a"), "--backups", "900"}, kUtf8, {80, 24});
  EXPECT_EQ(program.end(), 0);
  // The first frame knows what was accepted before.
  EXPECT_LT(program.said.find("accepted"), program.said.find("solving rock-sample"));
}
