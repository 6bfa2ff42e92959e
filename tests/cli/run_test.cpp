#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <span>

#include "penumbra/nn/bytes.h"
#include "tests/cli/program.h"

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

namespace {

std::string solver_run(const std::string& solver, const std::string& folder, int backups) {
  return "solve 'rock-sample(n=3,k=2)' --episodes 10 --quiet --solver " + solver + " --backups " +
         std::to_string(backups) + " --run " + folder;
}

}  // namespace

class Resume : public testing::TestWithParam<const char*> {};

TEST_P(Resume, EndsInThePolicyOfARunThatWasNeverStopped) {
  const Folder f;
  const std::string whole = f.path + "/whole", parts = f.path + "/parts";
  ASSERT_EQ(run(solver_run(GetParam(), whole, 150) + " --threads 1").code, 0);
  ASSERT_EQ(run(solver_run(GetParam(), parts, 37)).code, 0);
  ASSERT_EQ(run("resume " + parts + " --quiet --backups 80 --threads 2").code, 0);
  ASSERT_EQ(run("resume " + parts + " --quiet --backups 150 --threads 3").code, 0);
  EXPECT_EQ(text_of(parts + "/best.policy"), text_of(whole + "/best.policy"));
}

INSTANTIATE_TEST_SUITE_P(Solvers, Resume,
                         testing::Values("nvi", "sarsop", "hsvi2", "pbvi", "perseus",
                                         "ppo --hidden 16 --lanes 32 --steps 16 --minibatches 4 "
                                         "--evaluations 50",
                                         "nvi --preset paper --paper-form heads "
                                         "--paper-particles 200 --paper-samples 200 "
                                         "--paper-sims 5 --paper-episodes 200"));

TEST(ResumeOfAnEnd, SaysThatARunHadEnded) {
  const Folder f;
  const std::string a = f.path + "/a";
  ASSERT_EQ(run(solver_run("sarsop", a, 20)).code, 0);
  EXPECT_THAT(run("resume " + a).err, HasSubstr("had ended by backups"));
  EXPECT_THAT(run("resume " + a + " --backups 30").err, Not(HasSubstr("had ended")));
}

TEST(RunFolder, HoldsWhatIsNeededToRepeatIt) {
  const Folder f;
  const std::string a = f.path + "/a", b = f.path + "/b";
  ASSERT_EQ(run(solver_run("sarsop", a, 50) + " --trial-gap 0.3").code, 0);
  for (const char* name : {"best.policy", "checkpoint-a", "config.toml", "facts.json", "log.jsonl"})
    EXPECT_TRUE(std::filesystem::exists(a + "/" + name)) << name;
  ASSERT_EQ(run("solve --config " + a + "/config.toml --run " + b).code, 0);
  EXPECT_EQ(text_of(a + "/config.toml"), text_of(b + "/config.toml"));
  EXPECT_EQ(text_of(a + "/best.policy"), text_of(b + "/best.policy"));
  EXPECT_TRUE(json::parse(text_of(a + "/facts.json")).contains("processor"));
}

TEST(RunFolder, EveryLineOfTheLogSaysWhatItIs) {
  const Folder f;
  run(solver_run("sarsop", f.path + "/a", 50));
  std::istringstream log(text_of(f.path + "/a/log.jsonl"));
  std::vector<std::string> events;
  for (std::string line; std::getline(log, line);) {
    const json entry = json::parse(line);
    EXPECT_EQ(entry.at("v"), 1);
    EXPECT_TRUE(entry.contains("time"));
    events.push_back(entry.at("event"));
  }
  EXPECT_EQ(events.front(), "start");
  EXPECT_EQ(events.back(), "end");
  EXPECT_THAT(events, testing::IsSupersetOf({"progress", "checkpoint"}));
}

TEST(RunFolder, ASecondRunIsRefused) {
  const Folder f;
  run(solver_run("sarsop", f.path + "/a", 10));
  const Said said = run(solver_run("sarsop", f.path + "/a", 10));
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err, HasSubstr("go on with it by penumbra resume"));
}

TEST(ResumeCommand, OtherOptionsAreRefusedByName) {
  const Folder f;
  const std::string a = f.path + "/a";
  run(solver_run("sarsop", a, 10));
  std::string config = text_of(a + "/config.toml");
  config.replace(config.find("seed = 1"), 8, "seed = 2");
  std::ofstream(a + "/config.toml") << config;
  EXPECT_THAT(run("resume " + a).err, HasSubstr("began with seed = 1"));
  EXPECT_THAT(run("resume " + f.path).err, HasSubstr("there is no run in"));
}

// As if another build had written it: the program's name with another last letter.
void pretend_other_build(const std::string& checkpoint, const std::string& program) {
  std::string bytes = text_of(checkpoint);
  bytes[bytes.find(program) + program.size() - 1] = '?';
  penumbra::nn::Crc32c crc;
  crc.add(std::as_bytes(std::span(bytes)).first(bytes.size() - 4));
  const uint32_t checksum = crc.value();
  std::memcpy(bytes.data() + bytes.size() - 4, &checksum, 4);
  std::ofstream(checkpoint, std::ios::binary) << bytes;
}

TEST(ResumeCommand, ACheckpointOfAnotherBuildIsRefusedUnlessAskedFor) {
  const Folder f;
  const std::string a = f.path + "/a";
  ASSERT_EQ(run(solver_run("sarsop", a, 10)).code, 0);
  const std::string program = json::parse(text_of(a + "/facts.json")).at("program");
  EXPECT_EQ(run("--version").out, program + "\n");
  EXPECT_EQ(run("resume " + a + " --backups 15 --quiet").code, 0);
  for (const char* name : {"/checkpoint-a", "/checkpoint-b"})
    pretend_other_build(a + name, program);
  const Said said = run("resume " + a + " --backups 20 --quiet");
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err,
              testing::AllOf(HasSubstr(program.substr(0, program.size() - 1) + "?"),
                             HasSubstr("this is " + program), HasSubstr("--other-build")));
  EXPECT_EQ(run("resume " + a + " --backups 20 --quiet --other-build").code, 0);
}

TEST(ResumeCommand, SignalsMakeCheckpoints) {
  const Folder f;
  const std::string a = f.path + "/a";
  const std::string line =
      "solve 'rock-sample(n=7,k=8)' --solver sarsop --time 1h --checkpoint 0 "
      "--episodes 10 --quiet --run " +
      a;
  EXPECT_EQ(run(line, "timeout --preserve-status -s TERM 1").code, 130);
  EXPECT_TRUE(std::filesystem::exists(a + "/checkpoint-a"));
  EXPECT_EQ(run("resume " + a + " --time 1ms --quiet").code, 1);  // no such unit
  EXPECT_EQ(run("resume " + a + " --backups 1 --quiet").code, 0);
}

TEST(Config, FlagsStandAboveTheEnvironmentAboveTheFile) {
  const Folder f;
  const std::string file = f.path + "/c.toml";
  std::ofstream(file) << "[evaluate]\ndomain = \"tiger\"\npolicy = \"random\"\nepisodes = 100\n"
                         "seed = 5\njson = true\n[solve]\ntime = \"2s\"\n";
  const std::string line = "evaluate --config " + file;
  auto result = [](const Said& said) { return json::parse(said.out); };
  EXPECT_EQ(result(run(line)).at("episodes"), 100);
  EXPECT_EQ(result(run(line, "PENUMBRA_EPISODES=200")).at("episodes"), 200);
  EXPECT_EQ(result(run(line + " --episodes 300", "PENUMBRA_EPISODES=200")).at("episodes"), 300);
  EXPECT_EQ(result(run(line, "PENUMBRA_EPISODES=200")).at("seed"), 5);
}

TEST(Config, MistakesAreToldWithTheirPlace) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"[solve]\ntme = \"2s\"\n", "there is no option 'tme' (did you mean 'time'?)"},
      {"[solv]\ntime = \"2s\"\n", "there is no command 'solv' (did you mean 'solve'?)"},
      {"[solve]\nbackups = -3\n", "--backups must be a whole number"},
      {"[solve]\ntime = [1]\n", "c.toml:2: time must be a text"},
      {"time = 3\n", "c.toml:1: time stands outside a table"},
      {"[solve\n", "c.toml:1: "},
  };
  const Folder f;
  for (const auto& [text, says] : mistakes) {
    std::ofstream(f.path + "/c.toml") << text;
    const Said said = run("solve tiger --config " + f.path + "/c.toml");
    EXPECT_EQ(said.code, 1) << text;
    EXPECT_THAT(said.err, HasSubstr(says)) << text;
  }
  EXPECT_THAT(run("solve tiger --config gone.toml").err, HasSubstr("'gone.toml'"));
  EXPECT_THAT(run("solve tiger", "PENUMBRA_BACKUPS=x").err, HasSubstr("PENUMBRA_BACKUPS: "));
}

TEST(DryRun, TellsAndDoesNothing) {
  const Folder f;
  const json plan = run_json(
      "solve 'rock-sample(n=3,k=2)' --solver sarsop --backups 100 --dry-run "
      "--run " +
      f.path + "/a");
  EXPECT_EQ(plan.at("configuration").at("backups"), "100");
  EXPECT_GT(plan.at("estimated_memory"), 0);
  EXPECT_TRUE(plan.contains("estimated_seconds"));
  EXPECT_FALSE(std::filesystem::exists(f.path + "/a"));
}
