#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <future>

#include "tests/cli/program.h"

namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

constexpr const char* kExperiment = R"toml(
name = "tiny"
[scales.smoke]
maps = 2
backups = 30
episodes = 400
[[models]]
name = "RS(3,2)"
domain = "rock-sample(n=3,k=2)"
maps = [1, 2, 3]
[[models]]
name = "Light Dark"
domain = "light-dark(clusters=5)"
[[solvers]]
name = "SARSOP"
solver = "sarsop"
[[solvers]]
name = "QMDP"
solver = "qmdp"
[[figures]]
name = "bounds"
kind = "bounds"
model = "RS(3,2)"
[[published]]
model = "RS(3,2)"
solver = "SARSOP"
mean = 99
source = "a dream"
)toml";

class Bench : public testing::Test {
 protected:
  Bench() { write("tiny.toml", kExperiment); }
  void write(const std::string& name, const std::string& text) { std::ofstream(at(name)) << text; }
  std::string at(const std::string& name) const { return folder_.at(name); }
  std::string text(const std::string& name) const { return text_of(at(name)); }
  Said bench(const std::string& options = "", const std::string& folder = "out") const {
    return run("bench " + at("tiny.toml") + " --out " + at(folder) + " " + options);
  }

  Folder folder_;
};

TEST_F(Bench, ShardsThatStartTogetherShareAFolder) {
  std::vector<std::future<Said>> shards;
  for (int i = 1; i <= 4; ++i)
    shards.push_back(std::async(std::launch::async, [this, i] {
      return bench("--threads 1 --shard " + std::to_string(i) + "/4");
    }));
  for (auto& shard : shards) {
    const Said said = shard.get();
    EXPECT_EQ(said.code, 0) << said.err;
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(at("out/results")), {}), 6);
}

TEST_F(Bench, EndsInATableWithComparisonsAndFigures) {
  const Said said = bench("--results " + at("results.md"));
  EXPECT_EQ(said.code, 0) << said.err;
  const json table = json::parse(text("out/table.json"));
  EXPECT_EQ(table["done"], 6);
  EXPECT_EQ(table["rows"][0]["runs"], 2);
  ASSERT_EQ(table["comparisons"].size(), 1);
  EXPECT_EQ(table["comparisons"][0]["runs"], 2);
  EXPECT_THAT(said.out, HasSubstr("| *SARSOP, a dream* | *99.00* |"));
  EXPECT_THAT(text("results.md"), HasSubstr("below the published 99.00"));
  EXPECT_THAT(text("results.md"), HasSubstr("- RS(3,2): `rock-sample(n=3,k=2)`\n"));
  EXPECT_THAT(text("results.md"), HasSubstr("| SARSOP | RS(3,2) | 1, 2 | 1 | `sarsop: "));
  EXPECT_THAT(text("results/bounds.svg"), HasSubstr("SARSOP, lower bound"));
  // A solver that cannot take a model is no failure.
  EXPECT_EQ(table["rows"][2]["status"], "not applicable");
}

// Of three solvers on two maps; the second has the easier map alone and looks better than it is.
TEST_F(Bench, ThePageComparesOnTheSameRunsAndKeepsTheSign) {
  write("tiny.toml", std::string(kExperiment) + "[[solvers]]\nname = \"FIB\"\nsolver = \"fib\"\n");
  ASSERT_EQ(bench("--quiet").code, 0);
  const std::map<std::string, double> scores = {
      {"sarsop-m1", 10}, {"sarsop-m2", 20}, {"qmdp-m2", 19}, {"fib-m1", 11}, {"fib-m2", 21}};
  for (const auto& file : fs::directory_iterator(at("out/results"))) {
    const std::string name = file.path().string();
    if (name.find("qmdp-m1") != std::string::npos) fs::remove(file);
    for (const auto& [cell, score] : scores) {
      if (name.find(cell) == std::string::npos) continue;
      json result = json::parse(text_of(name));
      result["score"]["mean"] = score;
      for (json& mean : result["blocks"]["means"]) mean = score;
      std::ofstream(name) << result;
    }
  }
  ASSERT_EQ(run("bench " + at("out") + " --results " + at("results.md")).code, 0);
  EXPECT_THAT(
      text("results.md"),
      HasSubstr("- RS(3,2): SARSOP is 1.00 ± 0.00 below FIB on the same episodes of 2 runs"));
  EXPECT_THAT(text("results.md"), Not(HasSubstr("below QMDP")));
}

// One map has both seeds, the other one: its mean is not drawn towards the first.
TEST_F(Bench, EveryMapCountsTheSame) {
  write("tiny.toml",
        std::string(kExperiment) + "[[overrides]]\nsolvers = [\"SARSOP\"]\nseeds = 2\n");
  ASSERT_EQ(bench("--quiet").code, 0);
  const std::map<std::string, double> scores = {
      {"sarsop-m1-s1", 10}, {"sarsop-m1-s2", 12}, {"sarsop-m2-s1", 20}};
  for (const auto& file : fs::directory_iterator(at("out/results"))) {
    const std::string name = file.path().string();
    if (name.find("sarsop-m2-s2") != std::string::npos) fs::remove(file);
    for (const auto& [cell, score] : scores) {
      if (name.find(cell) == std::string::npos) continue;
      json result = json::parse(text_of(name));
      result["score"]["mean"] = score;
      result["score"]["standard_error"] = 0.1;
      std::ofstream(name) << result;
    }
  }
  ASSERT_EQ(run("bench " + at("out")).code, 0);
  const json row = json::parse(text("out/table.json"))["rows"][0];
  EXPECT_EQ(row["runs"], 3);
  EXPECT_DOUBLE_EQ(row["mean"], 15.5);
  EXPECT_NEAR(row["standard_error"], 0.1 * std::sqrt(0.0625 + 0.0625 + 0.25), 1e-12);
}

// Planners stand beside solvers, on the same episodes.
TEST_F(Bench, PoliciesAreScoredBesideSolvers) {
  write("tiny.toml", std::string(kExperiment) +
                         "[[solvers]]\nname = \"Despot\"\npolicy = \"despot(time=1s)\"\n"
                         "[[overrides]]\nepisodes = 8\n"
                         "planning = \"simulations=3,scenarios=20,particles=200\"\n");
  const Said said = bench();
  EXPECT_EQ(said.code, 0) << said.err;
  const json table = json::parse(text("out/table.json"));
  EXPECT_EQ(table["done"], 9);
  EXPECT_EQ(table["comparisons"].size(), 3);
  EXPECT_GT(table["rows"][2]["seconds_per_step"], 0);
  const json plan = json::parse(text("out/bench.json"));
  EXPECT_EQ(plan["cells"][4]["policy"], "despot(simulations=3,scenarios=20,particles=200)");
  EXPECT_EQ(run("bench " + at("out")).code, 0);
}

TEST_F(Bench, AWrongPolicyIsToldBeforeAnythingRuns) {
  for (const auto& [policy, says] :
       std::map<std::string, std::string>{{"despto", "did you mean 'despot'"},
                                          {"despot(lambada=1)", "did you mean 'lambda'"},
                                          {"gone.policy", "there is no policy file"}}) {
    write("tiny.toml",
          std::string(kExperiment) + "[[solvers]]\nname = \"x\"\npolicy = \"" + policy + "\"\n");
    const Said said = bench();
    EXPECT_EQ(said.code, 1);
    EXPECT_THAT(said.err, HasSubstr(says));
  }
}

TEST_F(Bench, GoesOnWhereItWasAndNeverChangesAResult) {
  ASSERT_EQ(bench("--shard 1/2").code, 0);
  std::map<std::string, std::string> before;
  for (const auto& file : fs::directory_iterator(at("out/results")))
    before[file.path().filename()] = text("out/results/" + file.path().filename().string());
  EXPECT_EQ(before.size(), 3);
  const Said said = bench();
  EXPECT_THAT(said.err, HasSubstr("[3/3]"));
  for (const auto& [name, content] : before) EXPECT_EQ(text("out/results/" + name), content);
}

TEST_F(Bench, SomeRowsAndColumnsAloneAreAPiece) {
  EXPECT_THAT(bench("--dry-run --models 'RS(3,2)' --solvers SARSOP").out, HasSubstr("2 cells;"));
  const Said piece = bench("--models 'Light Dark; RS(3,2)' --solvers QMDP");
  EXPECT_EQ(piece.code, 0);
  EXPECT_THAT(piece.out, HasSubstr("3 of 6 cells done, 0 failed"));
  EXPECT_THAT(bench().out, HasSubstr("6 of 6 cells done, 0 failed"));
  const Said wrong = bench("--solvers 'QMPD'", "wrong");
  EXPECT_EQ(wrong.code, 1);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean 'QMDP'"));
  EXPECT_FALSE(fs::exists(at("wrong")));
}

TEST_F(Bench, ShardsMerge) {
  ASSERT_EQ(bench("--shard 1/2 --quiet", "a").code, 0);
  ASSERT_EQ(bench("--shard 2/2 --quiet", "b").code, 0);
  const Said said = run("bench " + at("a") + " --merge " + at("b"));
  EXPECT_THAT(said.err, HasSubstr("3 results taken over"));
  EXPECT_THAT(said.out, HasSubstr("6 of 6 cells done, 0 failed"));
}

TEST_F(Bench, ARunThatEndedBeforeTheBenchWasKilledCounts) {
  ASSERT_EQ(bench().code, 0);
  fs::path gone;
  for (const auto& file : fs::directory_iterator(at("out/results")))
    if (file.path().string().find("sarsop-m1") != std::string::npos) gone = file.path();
  fs::remove(gone);
  EXPECT_THAT(bench().err, HasSubstr("[1/1]"));
  EXPECT_TRUE(fs::exists(gone));
}

TEST_F(Bench, AFailureHarmsNoOtherCellAndIsTold) {
  write("tiny.toml",
        std::string(kExperiment) +
            "[[overrides]]\nsolvers = [\"QMDP\"]\nmodels = [\"RS(3,2)\"]\nmemory = 1\n");
  const Said said = bench();
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err, HasSubstr("FAILED: rock-sample(n=3,k=2,map_seed=1) alone needs about"));
  EXPECT_THAT(said.out, HasSubstr("4 of 6 cells done, 2 failed"));
  EXPECT_EQ(bench().code, 0);  // nothing is tried again
  EXPECT_EQ(bench("--retry").code, 1);
}

// What others may have edited: told with the name of the file, and no talk of a bug.
TEST_F(Bench, RecordsThatAreDamagedAreToldByName) {
  ASSERT_EQ(bench("--quiet").code, 0);
  fs::path result;
  for (const auto& file : fs::directory_iterator(at("out/results")))
    if (file.path().string().find("sarsop-m1") != std::string::npos) result = file.path();
  const std::string id = result.stem(), cell = at("out/cells/" + id);
  const std::string plan = text("out/bench.json");
  for (const char* bad : {"{", "[]", "{\"status\": 5}", "{\"status\": \"time\", \"score\": {}}",
                          "{\"status\": \"time\", \"problem\": {}}"}) {
    std::ofstream(result) << bad;
    for (const Said& said : {run("bench " + at("out")), bench("--retry")}) {
      EXPECT_EQ(said.code, 1) << bad;
      EXPECT_THAT(said.err, HasSubstr(id + ".json"));
    }
  }
  // A run that ended before the bench did.
  fs::remove(result);
  std::ofstream(cell + "/episodes.json") << "{}";
  Said said = bench();
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err, HasSubstr("episodes.json is damaged"));
  fs::remove(cell + "/episodes.json");
  std::ofstream(cell + "/log.jsonl")
      << "{\"event\": 3}\n{\"event\": \"progress\", \"upper_proven\": 7, "
         "\"upper_kind\": []}\n{\"event\": \"end\", \"status\": 5}\n";
  EXPECT_EQ(bench().code, 0);
  for (const auto& [old, bad] : {std::pair<std::string, std::string>{id, "../../" + id},
                                 {"\"name\": \"bounds\"", "\"name\": \"../bounds\""},
                                 {"\"scale\"", "\"skale\""}}) {
    std::string edited = plan;
    edited.replace(edited.find(old), old.size(), bad);
    write("out/bench.json", edited);
    said = run("bench " + at("out"));
    EXPECT_EQ(said.code, 1);
    EXPECT_THAT(said.err, HasSubstr("bench.json is damaged"));
  }
}

TEST_F(Bench, MistakesAreToldWithTheirLine) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"[[overrides]]\nbackup = 3\n", ":30: [[overrides]]: there is no option 'backup'"},
      {"[[overrides]]\nmodels = [\"RS(3,3)\"]\n", "did you mean 'RS(3,2)'?"},
      {"[[solvers]]\nname = \"x\"\nsolver = \"sarsob\"\n", "did you mean 'sarsop'?"},
      {"[[overrides]]\nsolvers = [\"QMDP\"]\npool-states = 3\n",
       "the solver qmdp has no option 'pool-states'"},
      {"[[models]]\nname = \"y\"\ndomian = \"tiger\"\n", "needs domain"},
      {"[defaults]\nthreads = 0\n", "threads must be stated"},
      {"[[models]]\nname = \"y\"\ndomain = \"tigr\"\n", ":31: there is no domain 'tigr' (did you"},
      {"[[models]]\nname = \"y\"\ndomain = \"tiger(acuracy=1)\"\n", "did you mean 'accuracy'"},
      {"[[models]]\nname = \"y\"\ndomain = \"tiger\"\nmaps = [1]\n", "map_seed"},
      {"[[models]]\nname = \"y\"\ndomain = \"gone.pomdp\"\n",
       "there is no model file 'gone.pomdp'"},
      {"[[modells]]\nname = \"y\"\ndomain = \"tiger\"\n",
       ":29: an experiment has no key 'modells' "
       "(did you mean 'models'?)"},
  };
  for (const auto& [text, told] : mistakes) {
    write("tiny.toml", std::string(kExperiment) + text);
    const Said said = bench();
    EXPECT_EQ(said.code, 1);
    EXPECT_THAT(said.err, HasSubstr(told));
    EXPECT_FALSE(fs::exists(at("out")));
  }
  write("tiny.toml", kExperiment);
  EXPECT_THAT(bench("--dry-run").out, HasSubstr("6 cells; 0.0 hours at most"));
  EXPECT_FALSE(fs::exists(at("out")));
  EXPECT_THAT(bench("--scale huge").err, HasSubstr("has no scale 'huge'; it has smoke"));
  EXPECT_THAT(bench("--shard 3/2").err, HasSubstr("--shard"));
  EXPECT_THAT(bench("--jobs 1000").err, HasSubstr("lower --jobs"));
}

TEST(Inspect, TellsWhatIsUsed) {
  const std::string golden = PENUMBRA_SOURCE "/tests/data/tiger-controller.policy";
  const json said = run_json("inspect " + golden + " --episodes 2000");
  EXPECT_EQ(said["top_nodes"][0]["action"], "listen");
  EXPECT_GT(said["depth"], 0);
  double steps = 0;
  for (const json& action : said["actions"]) steps += action["per_episode"].get<double>();
  EXPECT_NEAR(steps, said["steps_per_episode"], 1e-9);
  EXPECT_THAT(run("inspect " + golden).out, HasSubstr("half of the steps in"));
  EXPECT_THAT(run("inspect " + golden + " --dot").out, HasSubstr("per episode"));
  EXPECT_THAT(run("inspect nothing.policy").err, HasSubstr("nothing.policy"));
}

}  // namespace
