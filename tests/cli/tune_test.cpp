#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/program.h"

using testing::HasSubstr;

namespace {

class Tune : public testing::Test {
 protected:
  Tune() { write("[space]\nbeliefs = { low = 2, high = 200, log = true, whole = true }\n"); }

  std::string at(const std::string& name) const { return folder_.at(name); }
  void write(const std::string& space) const { std::ofstream(at("space.toml")) << space; }
  std::string search(const std::string& run_folder, const std::string& more = "") const {
    return "tune " + at("space.toml") + " 'rock-sample(n=3,k=2)' --solver perseus --backups 60 " +
           "--episodes 200 --batch 3 --run " + at(run_folder) + " " + more;
  }
  std::string text(const std::string& name) const { return text_of(at(name)); }

  Folder folder_;
};

// Seconds differ from run to run.
nlohmann::json without_seconds(nlohmann::json trial) {
  trial.erase("seconds");
  return trial;
}

TEST_F(Tune, FindsAConfigurationThatSolveTakes) {
  const nlohmann::json said = run_json(search("a", "--trials 6"));
  EXPECT_EQ(said["trials"], 6);
  EXPECT_TRUE(said["importance"].contains("beliefs"));
  EXPECT_THAT(text("a/best.toml"), HasSubstr("solver = \"perseus\""));
  const Said solved = run("solve --config " + at("a/best.toml") + " --episodes 10 --quiet");
  EXPECT_EQ(solved.code, 0) << solved.err;
}

TEST_F(Tune, GoesOnWhereItWasStoppedAsIfItHadNot) {
  ASSERT_EQ(run(search("whole", "--trials 12 --threads 1 --quiet")).code, 0);
  ASSERT_EQ(run(search("parts", "--trials 12 --threads 3 --quiet")).code, 0);
  for (int number : {4, 9, 10, 11})  // of three batches
    std::filesystem::remove(at("parts/trials/00" + std::string(number < 10 ? "0" : "") +
                               std::to_string(number) + ".json"));
  ASSERT_EQ(run(search("parts", "--trials 12 --threads 2 --quiet")).code, 0);
  for (const char* name : {"0004", "0009", "0011"}) {
    const std::string file = std::string("/trials/") + name + ".json";
    EXPECT_EQ(without_seconds(nlohmann::json::parse(text("whole" + file))),
              without_seconds(nlohmann::json::parse(text("parts" + file))));
  }
}

TEST_F(Tune, RangesOfWholeNumbersNeedNotSaySo) {
  write("[space]\nbeliefs = { low = 2.0, high = 40.0 }\n");
  const Said said = run(search("a", "--trials 2 --quiet"));
  EXPECT_EQ(said.code, 0) << said.err;
}

TEST_F(Tune, ASolverThatTakesContinuousObservationsAsTheyAreIsTuned) {
  auto mcvi = [&](const std::string& space, const std::string& more) {
    write(space);
    return run("tune " + at("space.toml") + " light-dark --solver mcvi --trials 2 --backups 4 " +
               "--episodes 20 --quiet --run " + at("a") + more);
  };
  const Said fixed =
      mcvi("[space]\ncontinuous-pivots = [4, 6]\n[fixed]\nobservations = \"continuous\"\n", "1");
  EXPECT_EQ(fixed.code, 0) << fixed.err;
  const Said searched = mcvi("[space]\nobservations = [\"finite\", \"continuous\"]\n", "2");
  EXPECT_EQ(searched.code, 0) << searched.err;
}

TEST_F(Tune, InterruptedBeforeTheFirstTrialEndedItSaysSo) {
  write("[space]\nproposals = [4, 8]\n");
  const Said said = run("tune " + at("space.toml") + " 'rock-sample(n=7,k=8)' --solver nvi " +
                            "--time 1h --quiet --run " + at("a"),
                        "timeout --preserve-status -s INT 2");
  EXPECT_EQ(said.code, 130);
  EXPECT_THAT(said.err, HasSubstr("the same command goes on"));
}

TEST_F(Tune, AReportOfASearchSaysWhatToReportInstead) {
  ASSERT_EQ(run(search("a", "--trials 1 --quiet")).code, 0);
  const Said said = run("report " + at("a") + " -o " + at("a.html"));
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err, HasSubstr("penumbra solve --config " + at("a/best.toml") + " --run"));
  EXPECT_THAT(run("report " + folder_.path + " -o " + at("a.html")).err,
              HasSubstr("there is no run in"));
}

TEST_F(Tune, RefusesWhatCannotBeSearched) {
  ASSERT_EQ(run(search("a", "--trials 1 --quiet")).code, 0);
  EXPECT_THAT(run(search("a", "--trials 1 --seed 2")).err, HasSubstr("holds another search"));
  for (const auto& [space, problem] : std::initializer_list<std::pair<const char*, const char*>>{
           {"[space]\nbelief = [1, 2]\n", "did you mean 'beliefs'"},
           {"[space]\n\nbelief = [1, 2]\n", "space.toml:3: the solver perseus has no option"},
           {"[space]\nbeliefs = { low = 0, high = 10, whole = true }\n", "must be an integer"},
           {"[space]\nbeliefs = { low = 2.5, high = 10 }\n", "space.toml:2: perseus: beliefs=2.5"},
           {"[space]\nbeliefs = { low = 9, high = 3 }\n", "space.toml:2: beliefs: low = 9"},
           {"[space]\nbeliefs = 3\n", "space.toml:2: beliefs must be a list of choices"},
           {"[fixed]\nbeliefs = 3\n", "nothing to search"},
           {"[spaces]\n", "'spaces' has no place here"},
           {"[space\n", "space.toml:1"}}) {
    write(space);
    EXPECT_THAT(run(search("b")).err, HasSubstr(problem));
  }
}

}  // namespace
