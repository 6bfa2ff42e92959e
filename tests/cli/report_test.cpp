#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/program.h"

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

namespace {

// The data that the page draws.
json data_of(const std::string& page) {
  const std::string text = text_of(page), mark = "id=\"data\">";
  const size_t begin = text.find(mark) + mark.size();
  return json::parse(text.substr(begin, text.find("</script>", begin) - begin));
}

void solve(const std::string& domain, const std::string& solver, const std::string& folder) {
  run("solve '" + domain + "' --solver " + solver + " --backups 40 --episodes 100 --quiet --run '" +
      folder + "'");
}

}  // namespace

TEST(Report, OfARunHasLogControllerAndEpisodes) {
  const Folder f;
  solve("rock-sample(n=3,k=2)", "sarsop", f.path + "/a");
  const json said = run_json("report " + f.path + "/a -o " + f.path + "/a.html --episodes 2");
  EXPECT_EQ(said.at("runs"), 1);
  const json data = data_of(f.path + "/a.html");
  const json& entry = data.at("runs").at(0);
  EXPECT_EQ(entry.at("solver"), "sarsop");
  EXPECT_GT(entry.at("progress").at("seconds").size(), 0u);
  EXPECT_TRUE(entry.at("score").contains("standard_error"));
  EXPECT_GT(data.at("controllers").at(0).at("nodes").size(), 1u);
  EXPECT_EQ(data.at("episodes").size(), 2u);
  EXPECT_EQ(data.at("scenes").at(0).at("kind"), "rock-sample");
}

TEST(Report, DrawsAModelWithoutASceneByItsCoordinates) {
  const Folder f;
  solve("light-dark(dimensions=2)", "mcvi", f.path + "/a");
  run("report " + f.path + "/a -o " + f.path + "/a.html --episodes 1");
  const json data = data_of(f.path + "/a.html");
  EXPECT_EQ(data.at("scenes").at(0).at("kind"), "points");
  const json& scene = data.at("scenes").at(0);
  const json& moment = data.at("episodes").at(0).at("moments").at(0);
  EXPECT_EQ(moment.at("state").size(), scene.at("fields").size());
  EXPECT_GT(moment.at("cloud").size(), 100u);
}

TEST(Report, LoadsNothing) {
  const Folder f;
  solve("tiger", "sarsop", f.path + "/a");
  run("report " + f.path + "/a -o " + f.path + "/a.html");
  const std::string page = text_of(f.path + "/a.html");
  for (const char* word : {"src=", "<link", "@import", "fetch(", "url(http"})
    EXPECT_THAT(page, Not(HasSubstr(word)));
}

TEST(Report, ProbabilitiesOfANodeAddUpToThoseThatGoOn) {
  const Folder f;
  solve("rock-sample(n=3,k=2)", "nvi", f.path + "/a");
  run("report " + f.path + "/a -o " + f.path + "/a.html");
  const json data = data_of(f.path + "/a.html");
  for (const json& node : data.at("controllers").at(0).at("nodes")) {
    if (node[1] == 0.0) continue;
    double total = node[3];
    for (const json& edge : node[4]) total += edge[1].get<double>();
    EXPECT_NEAR(total, 1, 1e-3);
  }
}

TEST(Report, MapsOfOneProblemStandTogetherWithPublishedScores) {
  const Folder f;
  for (const char* map : {"1", "2"})
    solve("rock-sample(n=7,k=8,map_seed=" + std::string(map) + ")", "qmdp", f.path + "/r" + map);
  run("report " + f.path + " -o " + f.path + "/all.html --visits 100 --episodes 1");
  const json groups = data_of(f.path + "/all.html").at("groups");
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].at("name"), "rock-sample(n=7,k=8)");
  EXPECT_EQ(groups[0].at("published").at(0).at("name"), "NVI");
  EXPECT_EQ(groups[0].at("published").at(0).at("mean"), 18.95);
}

TEST(Report, OfABenchTakesItsNamesAndDoesWithoutMissingCells) {
  const Folder f;
  solve("tiger", "sarsop", f.path + "/cells/x1");
  std::filesystem::create_directory(f.path + "/results");
  std::ofstream(f.path + "/results/x2.json")
      << R"({"v":1,"id":"x2","status":"failed","problem":"no memory"})";
  auto cell = [](const char* id, const char* solver) {
    return json{{"id", id}, {"model", "Tiger"}, {"solver", solver}, {"domain", "tiger"}};
  };
  json published{{"model", "Tiger"}, {"solver", "exact"}, {"mean", 19.37}, {"kind", "offline"}};
  std::ofstream(f.path + "/bench.json")
      << json{{"v", 1},
              {"title", "A bench"},
              {"cells", {cell("x1", "SARSOP"), cell("x2", "HSVI"), cell("x3", "not done")}},
              {"published", json::array({published})}};
  EXPECT_EQ(run("report " + f.path + " -o " + f.path + "/b.html").code, 0);
  const json data = data_of(f.path + "/b.html");
  EXPECT_EQ(data.at("title"), "A bench");
  EXPECT_EQ(data.at("runs").size(), 2u);
  EXPECT_EQ(data.at("runs").at(0).at("solver"), "SARSOP");
  EXPECT_EQ(data.at("runs").at(1).at("problem"), "no memory");
  EXPECT_EQ(data.at("groups").at(0).at("published").at(0).at("mean"), 19.37);
}

TEST(Report, RunsOverMacroActionsArePlayed) {
  const Folder f;
  const json solved = run_json(
      "solve 'rock-sample(n=3,k=2)' --macro-actions own --backups 20 --episodes 100 --run " +
      f.at("a"));
  EXPECT_EQ(solved.at("domain"), "rock-sample(n=3,k=2)");
  EXPECT_EQ(solved.at("macro_actions"), "own");
  const json said = run_json("report " + f.at("a") + " -o " + f.at("a.html") + " --episodes 2");
  EXPECT_EQ(said.at("controllers"), 1);
  EXPECT_EQ(said.at("episodes"), 2);
  EXPECT_EQ(data_of(f.at("a.html")).at("runs").at(0).at("domain"), "rock-sample(n=3,k=2)");
}

TEST(Report, AlphaFunctionsLieOverTheDomain) {
  const Folder f;
  solve("rock-sample(n=3,k=2)", "nvi", f.at("rocks"));
  solve("light-dark", "nvi", f.at("line"));
  run("report " + f.path + " -o " + f.at("a.html") + " --episodes 1 --visits 500");
  const json data = data_of(f.at("a.html"));
  ASSERT_EQ(data.at("alphas").size(), 2u);
  for (const json& alphas : data.at("alphas")) {
    const bool line = data.at("runs").at(alphas.at("run").get<size_t>()).at("domain") ==
                      "light-dark(clusters=20)";
    EXPECT_EQ(alphas.at("axes").size(), line ? 1u : 2u);
    for (const json& slice : alphas.at("slices")) {
      EXPECT_EQ(slice.at("cells").size(), line ? 160u : 9u);  // the whole grid of 3 by 3
      ASSERT_EQ(slice.at("values").size(), alphas.at("nodes").size());
      for (const json& values : slice.at("values"))
        EXPECT_EQ(values.size(), slice.at("cells").size());
    }
  }
}

TEST(Report, TellsClaimsAndTimePerPart) {
  const Folder f;
  solve("tiger", "nvi", f.at("a"));
  run("report " + f.at("a") + " -o " + f.at("a.html") + " --episodes 1");
  const json entry = data_of(f.at("a.html")).at("runs").at(0);
  EXPECT_TRUE(entry.at("progress").at("estimate").back().is_number());
  EXPECT_GT(entry.at("phases").size(), 0u);
}

TEST(Report, NamesCannotBreakThePage) {
  const Folder f;
  solve("tiger", "sarsop", f.path + "/<script>x");
  run("report " + f.path + " -o " + f.path + "/a.html");
  EXPECT_THAT(text_of(f.path + "/a.html"), Not(HasSubstr("<script>x")));
  EXPECT_EQ(data_of(f.path + "/a.html").at("runs").at(0).at("name"), "<script>x");
}

TEST(Report, SaysWhereThereIsNoRun) {
  const Folder f;
  EXPECT_THAT(run("report " + f.path + " -o x.html").err, HasSubstr("there is no run in"));
  EXPECT_THAT(run("report gone -o x.html").err, HasSubstr("there is no folder 'gone'"));
}

TEST(Report, OfAPlannerHasTheTreeOfEveryStep) {
  const Folder f;
  run("evaluate 'rock-sample(n=3,k=2)' --episodes 3 --quiet --run " + f.path +
      "/a --policy 'despot(simulations=5,scenarios=50,particles=500)'");
  const json said = run_json("report " + f.path + "/a -o " + f.path + "/a.html --episodes 2");
  EXPECT_EQ(said.at("controllers"), 0);
  const json data = data_of(f.path + "/a.html");
  EXPECT_GT(data.at("runs").at(0).at("seconds_per_step"), 0);
  ASSERT_EQ(data.at("episodes").size(), 2u);
  for (const json& step : data.at("episodes").at(0).at("steps")) {
    int chosen = 0;
    for (const json& row : step.at("tree")) chosen += row.at(0) == 1 && row.at(6) == true;
    EXPECT_EQ(chosen, step.at("decision").at("by_search") == true ? 1 : 0);
  }
}
