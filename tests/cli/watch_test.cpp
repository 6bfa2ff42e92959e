#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/program.h"
#include "tests/cli/screen.h"
#include "tests/cli/started.h"

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

namespace {

const std::string kSolveShort =
    "solve 'rock-sample(n=4,k=3)' --solver nvi --backups 300 --episodes 200 --quiet --run ";

std::vector<std::string> long_solve(const std::string& folder) {
  return {"solve", "rock-sample(n=7,k=8)", "--solver", "nvi",   "--time",
          "10m",   "--episodes",           "200",      "--run", folder};
}

bool has_progress(const std::string& folder) {
  return text_of(folder + "/log.jsonl").find("\"progress\"") != std::string::npos;
}

}  // namespace

TEST(Watch, OfAFinishedRunPrintsItsLinesAndEnds) {
  const Folder f;
  ASSERT_EQ(run(kSolveShort + f.at("a")).code, 0);
  const Said said = run("watch " + f.at("a"));
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr(" backups  "));
  EXPECT_THAT(said.out, HasSubstr("ended by backups"));
  EXPECT_THAT(said.out, HasSubstr("standard error"));
  EXPECT_THAT(said.out, Not(HasSubstr("\033")));
}

TEST(Watch, OnceTellsHowItStands) {
  const Folder f;
  ASSERT_EQ(run(kSolveShort + f.at("a")).code, 0);
  const Said said = run("watch --once " + f.at("a"));
  EXPECT_EQ(said.code, 0);
  EXPECT_THAT(said.out, Not(HasSubstr(" backups  ")));
  EXPECT_THAT(said.out, HasSubstr("accepted "));
  const json fields = run_json("watch --once " + f.at("a"));
  EXPECT_EQ(fields.at("phase"), "ended");
  EXPECT_EQ(fields.at("status"), "backups");
  EXPECT_EQ(fields.at("score").at("episodes"), 200);
  EXPECT_GE(fields.at("progress").at("backups"), 300);
}

TEST(Watch, FollowsARunToItsEnd) {
  const Folder f;
  Started watch({"watch", f.at("a")}, {{"LANG", "C.UTF-8"}}, {80, 24});
  ASSERT_TRUE(watch.wait_for("waiting for the run"));
  Started solve(long_solve(f.at("a")));
  ASSERT_TRUE(watch.wait_for("accepted"));
  EXPECT_EQ(run("watch --once --json " + f.at("a")).code, 0);
  kill(solve.pid, SIGINT);
  EXPECT_EQ(solve.end(), 130);
  EXPECT_EQ(watch.end(), 0);
  const std::string text = Screen(80, watch.said).text();
  EXPECT_THAT(text, HasSubstr("ended by cancelled"));
  EXPECT_THAT(text, HasSubstr("score "));
  EXPECT_THAT(text, Not(HasSubstr("waiting")));
}

TEST(Watch, CtrlCEndsTheWatchingAlone) {
  const Folder f;
  Started solve(long_solve(f.at("a")));
  ASSERT_TRUE(solve.wait_for("backups"));
  Started watch({"watch", f.at("a")}, {}, {60, 24});
  ASSERT_TRUE(watch.wait_for("solving"));
  watch.type("\x03");
  EXPECT_EQ(watch.end(), 0);
  EXPECT_EQ(kill(solve.pid, 0), 0);
}

TEST(Watch, SaysThatARunWasKilled) {
  const Folder f;
  {
    Started solve(long_solve(f.at("a")));
    ASSERT_TRUE(solve.wait_for("backups"));
  }  // killed
  ASSERT_TRUE(has_progress(f.at("a")));
  const Said said = run("watch " + f.at("a"));
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err, HasSubstr("it was killed; penumbra resume"));
  EXPECT_THAT(said.out, HasSubstr("stopped"));
  EXPECT_EQ(run("watch --once " + f.at("a")).code, 0);
}

TEST(Watch, SaysWhatIsWrongWithAFolder) {
  const Folder f;
  const auto words = [](const std::string& path) { return run("watch --once " + path).err; };
  EXPECT_THAT(words(f.at("nowhere")), HasSubstr("there is no run in"));
  EXPECT_THAT(words(f.write("file", "x")), HasSubstr("is no folder"));
  EXPECT_THAT(words(f.path), HasSubstr("it has other files, but no config.toml"));
  std::filesystem::create_directory(f.at("b"));
  f.write("b/bench.json", "{}");
  EXPECT_THAT(words(f.at("b")), HasSubstr("name the folder of one of its cells"));
  run("evaluate tiger --policy random --episodes 10 --quiet --run " + f.at("e"));
  EXPECT_THAT(words(f.at("e")), HasSubstr("penumbra evaluate"));
  std::filesystem::create_directory(f.at("t"));
  f.write("t/config.toml", "[tune]\ndomain = \"tiger\"\n");
  EXPECT_THAT(words(f.at("t")), HasSubstr("penumbra tune"));
  f.write("t/config.toml", "[solve\n");
  EXPECT_THAT(words(f.at("t")), HasSubstr("config.toml:1"));
  f.write("t/config.toml", "[solve]\ntime = \"soon\"\n");
  EXPECT_THAT(words(f.at("t")), HasSubstr("--time must be a duration"));
}

TEST(Watch, TakesALogThatOthersSpoiled) {
  const Folder f;
  std::filesystem::create_directory(f.at("a"));
  f.write("a/config.toml", "[solve]\ndomain = \"tiger\"\n");
  f.write(
      "a/log.jsonl",
      "not json\n{\"event\":\"start\",\"domain\":7}\n[1,2]\n{\"event\":\"progress\",\"nodes\":-3,"
      "\"backups\":1e300,\"simulated\":\"x\",\"upper\":null}\n{\"event\":\"progress\","
      "\"simulated\":"
      "1,\"low\":null}\n{\"event\":\"end\",\"score\":[],\"status\":5}\n{\"event\":");
  const Said said = run("watch " + f.at("a"));
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("ended"));
}
