// Models of one's own: a .cpp or .so instead of a domain, and whose code is run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/cli/program.h"

namespace {

using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

const std::string kBoxes = PENUMBRA_SOURCE "/examples/plugins/boxes.cpp";
constexpr const char* kScore = "' --policy random --episodes 2000 --threads 1";

// One cache for all tests: a compilation takes seconds.
std::string with_cache(const std::string& folder) {
  return "XDG_CACHE_HOME=" + folder;
}
std::string shared_cache() {
  static const Folder folder;
  return with_cache(folder.path);
}

std::string value_line(const std::string& out) {
  const size_t at = out.find("  value");
  return at == std::string::npos ? "" : out.substr(at, out.find('\n', at) - at);
}

// A run of a model in the folder, as somebody may have sent it.
std::string foreign_run(const Folder& f) {
  fs::copy_file(kBoxes, f.at("boxes.cpp"));
  const Said said =
      run("solve " + f.at("boxes.cpp") +
              " --solver mcvi --backups 5 --episodes 100 --quiet --run " + f.at("run"),
          shared_cache());
  EXPECT_EQ(said.code, 0) << said.err;
  return f.at("run");
}

}  // namespace

TEST(Plugin, IsCompiledOnceAndThenTakenFromTheCache) {
  const Said first = run("evaluate '" + kBoxes + kScore, shared_cache());
  ASSERT_EQ(first.code, 0) << first.err;
  const Said second = run("evaluate '" + kBoxes + kScore, shared_cache());
  EXPECT_THAT(second.err, Not(HasSubstr("compiling")));
  EXPECT_EQ(value_line(first.out), value_line(second.out));
}

TEST(Plugin, TakesParametersAndExplainsWrongOnes) {
  const Said five = run("evaluate '" + kBoxes + "(boxes=5)" + kScore, shared_cache());
  EXPECT_EQ(five.code, 0) << five.err;
  EXPECT_THAT(five.out, HasSubstr("boxes.cpp(boxes=5), policy random"));
  const Said bad = run("evaluate '" + kBoxes + "(nois=0.2)" + kScore, shared_cache());
  EXPECT_EQ(bad.code, 1);
  EXPECT_THAT(bad.err, HasSubstr("did you mean 'noise'"));
}

TEST(Plugin, KeepsItsPromises) {
  const Said said = run("check " + kBoxes, shared_cache());
  EXPECT_EQ(said.code, 0) << said.out << said.err;
}

TEST(Plugin, IsSolvedSavedAndLoadedAgain) {
  const Folder f;
  const std::string policy = f.at("boxes.policy");
  ASSERT_EQ(
      run("solve " + kBoxes + " --solver mcvi --backups 20 --quiet -o " + policy, shared_cache())
          .code,
      0);
  const Said said =
      run("evaluate " + kBoxes + " --policy " + policy + " --against random", shared_cache());
  EXPECT_THAT(said.out, HasSubstr("the first is better")) << said.err;
}

TEST(Plugin, IsTakenByEveryOtherCommand) {
  const Folder f;
  const std::string policy = f.at("boxes.policy"), quiet = " --quiet ";
  const auto works = [&](const std::string& line) {
    const Said said = run(line + quiet, shared_cache());
    EXPECT_EQ(said.code, 0) << line << "\n" << said.err;
    return said.out;
  };
  const std::string how = " --solver mcvi --backups 5 --episodes 100 ";
  works("solve " + kBoxes + how + "-o " + policy);
  works("simulate " + kBoxes + " --policy " + policy + " --steps 3");
  works("inspect " + policy + " --episodes 100 --model " + kBoxes);
  works("export " + policy + " -o " + f.at("boxes.h"));
  EXPECT_EQ(run("export " + policy + " -o " + policy).code, 1);  // it would lose its networks
  EXPECT_THAT(works("domains " + kBoxes), HasSubstr("noise"));
  works("export " + policy + " --shrink --episodes 500 -o " + f.at("small.policy") + " --model " +
        kBoxes);
  works("evaluate " + kBoxes + " --episodes 100 --policy " + f.at("small.policy"));
  const std::string space = f.write("space.toml", "[space]\nparticles = [50, 100]\n");
  works("tune " + space + " " + kBoxes +
        " --solver mcvi --trials 2 --backups 3 --episodes 100 --run " + f.at("tuned"));
}

TEST(Plugin, WhoseRewardsAreNotThoseDeclaredIsNotScored) {
  const Folder f;
  std::string text = text_of(kBoxes);
  const std::string declared = ".min_reward = -20";
  const size_t at = text.find(declared);
  ASSERT_NE(at, std::string::npos);
  const std::string file =
      f.write("wrong.cpp", text.replace(at, declared.size(), ".min_reward = -2"));
  const Said said = run("evaluate '" + file + kScore, shared_cache());
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err, HasSubstr("reward"));
  EXPECT_THAT(said.err, HasSubstr("open-"));
}

TEST(Plugin, BuiltToKeepDoesTheSameAsItsSource) {
  const Folder f;
  const Said built = run("build " + kBoxes + " -o " + f.at("boxes.so"), shared_cache());
  ASSERT_EQ(built.code, 0) << built.err;
  EXPECT_EQ(std::distance(fs::directory_iterator(f.path), {}), 1);
  const Said kept = run("evaluate '" + f.at("boxes.so") + kScore, shared_cache());
  const Said source = run("evaluate '" + kBoxes + kScore, shared_cache());
  EXPECT_NE(value_line(kept.out), "") << kept.err;
  EXPECT_EQ(value_line(kept.out), value_line(source.out));
}

TEST(Plugin, ThatIsNoFileOrEmptyIsCalledThat) {
  const Folder f;
  EXPECT_THAT(run("evaluate '" + f.write("empty.cpp", "") + kScore).err, HasSubstr("is empty"));
  fs::create_directory(f.at("folder.cpp"));
  EXPECT_THAT(run("evaluate '" + f.at("folder.cpp") + kScore).err, HasSubstr("is a folder"));
}

TEST(Plugin, ThatDoesNotCompileIsShownAtTheUsersLine) {
  const Folder f;
  const std::string file = f.write("broken.cpp", "#include <penumbra/penumbra.h>\nint x = oops;\n");
  const Said said = run("evaluate '" + file + kScore, shared_cache());
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err, HasSubstr("broken.cpp:2:"));
  EXPECT_THAT(said.err, HasSubstr("This was run: "));
}

TEST(Plugin, WithoutModelOrFileOrCompilerIsToldInWords) {
  const Folder f;
  const std::string empty = f.write("empty.cpp", "int x;\n");
  EXPECT_THAT(run("evaluate '" + empty + kScore, shared_cache()).err,
              HasSubstr("must end with PENUMBRA_MODEL"));
  EXPECT_THAT(run("evaluate '" + f.at("none.cpp") + kScore, shared_cache()).err,
              HasSubstr("there is no model file"));
  EXPECT_THAT(run("evaluate '" + f.write("text.so", "text") + kScore, shared_cache()).err,
              HasSubstr("cannot load"));
  EXPECT_THAT(run("evaluate '" + empty + kScore, shared_cache() + " CXX=/none/c++").err,
              HasSubstr("cannot start the compiler /none/c++"));
}

TEST(Plugin, OfAnotherBuildIsRefused) {
  const Folder f;
  const std::string file = f.at("other.so");
  const std::string line = "'" PENUMBRA_CXX "' -std=c++20 -O0 -fPIC -shared -I '" PENUMBRA_SOURCE
                           "' -DPENUMBRA_CONTRACT='\"0123\"' -o " +
                           file + " " + kBoxes;
  ASSERT_EQ(std::system(line.c_str()), 0);
  const Said said = run("evaluate '" + file + kScore, shared_cache());
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err, HasSubstr("was made for another build of Penumbra"));
  EXPECT_THAT(said.err, HasSubstr("headers 0123"));
}

TEST(Plugin, IsCompiledAgainWhenWhatItIncludesChanges) {
  const Folder f;
  const std::string header = f.write("name.h", "");
  const std::string file = f.write("own.cpp", "#include \"name.h\"\n#include \"" + kBoxes + "\"\n");
  const std::string line = "evaluate '" + file + kScore;
  EXPECT_THAT(run(line, shared_cache()).err, HasSubstr("compiling"));
  EXPECT_THAT(run(line, shared_cache()).err, Not(HasSubstr("compiling")));
  fs::last_write_time(header, fs::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_THAT(run(line, shared_cache()).err, HasSubstr("compiling"));
}

TEST(PluginCache, IsOfTheUserAlone) {
  const Folder f;
  const std::string line = "evaluate '" + f.write("empty.cpp", "int x;\n") + kScore;
  run(line, with_cache(f.path));
  struct stat info;
  ASSERT_EQ(stat(f.at("penumbra").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  fs::permissions(f.at("penumbra"), fs::perms::others_write, fs::perm_options::add);
  const Said said = run(line, with_cache(f.path));
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err, HasSubstr("can be written by others"));
}

TEST(PluginCache, OfSomebodyElseIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  const Folder f;
  fs::create_directory(f.at("penumbra"));
  ASSERT_EQ(chown(f.at("penumbra").c_str(), 12345, 12345), 0);
  const Said said =
      run("evaluate '" + f.write("empty.cpp", "int x;\n") + kScore, with_cache(f.path));
  EXPECT_THAT(said.err, HasSubstr("belongs to somebody else"));
}

TEST(PluginCache, RefusesACompiledModelThatOthersCanWrite) {
  const Folder f;
  const std::string line = "evaluate '" + kBoxes + kScore;
  ASSERT_EQ(run(line, with_cache(f.path)).code, 0);
  for (const auto& entry : fs::directory_iterator(f.at("penumbra")))
    fs::permissions(entry.path(), fs::perms::group_write, fs::perm_options::add);
  EXPECT_THAT(run(line, with_cache(f.path)).err, HasSubstr("can be written by others"));
}

TEST(Trust, ARunIsNotResumedWithCodeThatItNames) {
  const Folder f;
  const std::string line = "resume " + foreign_run(f) + " --backups 10 --quiet";
  const Said refused = run(line, shared_cache());
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("pass --trust"));
  const Said trusted = run(line + " --trust", shared_cache());
  EXPECT_EQ(trusted.code, 0) << trusted.err;
}

TEST(Trust, AReportShowsPoliciesOnlyOfCodeThatIsTrusted) {
  const Folder f;
  const std::string line = "report " + foreign_run(f) + " -o " + f.at("page.html");
  EXPECT_THAT(run(line, shared_cache()).err, HasSubstr("pass --trust"));
  const Said trusted = run(line + " --trust", shared_cache());
  EXPECT_THAT(trusted.err, Not(HasSubstr("is not shown"))) << trusted.err;
}

TEST(Trust, APolicyDoesNotLoadItsModelUnlessItIsNamed) {
  const Folder f;
  const std::string line = "inspect " + foreign_run(f) + "/best.policy";
  const Said refused = run(line, shared_cache());
  EXPECT_THAT(refused.out + refused.err, HasSubstr("pass --trust"));
  const Said named = run(line + " --model " + f.at("boxes.cpp"), shared_cache());
  EXPECT_EQ(named.code, 0) << named.err;
  EXPECT_THAT(named.out + named.err, Not(HasSubstr("--trust")));
}

TEST(Trust, AnExportShrinksOnlyWithCodeThatIsNamed) {
  const Folder f;
  const std::string policy = f.at("boxes.policy");
  run("solve " + kBoxes + " --solver mcvi --backups 5 --episodes 100 --quiet -o " + policy,
      shared_cache());
  const std::string line =
      "export " + policy + " --shrink --episodes 300 --quiet -o " + f.at("small.policy");
  EXPECT_THAT(run(line, shared_cache()).err, HasSubstr("pass --trust"));
  EXPECT_EQ(run(line + " --trust", shared_cache()).code, 0);
}

TEST(Trust, ConfigurationsAndTheEnvironmentCannotGrantIt) {
  const Folder f;
  const std::string config = foreign_run(f) + "/config.toml";
  const std::string line = "solve --config " + config + " --run " + f.at("again");
  EXPECT_THAT(run(line, shared_cache() + " PENUMBRA_TRUST=true").err, HasSubstr("pass --trust"));
  const std::string granted = f.write("granted.toml", "[solve]\ntrust = true\n");
  EXPECT_EQ(run("solve --config " + granted, shared_cache()).code, 1);
}

TEST(Trust, AnExperimentDoesNotRunItsModels) {
  const Folder f;
  const std::string file = f.write("own.toml",
                                   "name = \"own\"\n[scales.smoke]\nbackups = 5\n"
                                   "episodes = 100\n[[models]]\nname = \"Boxes\"\n"
                                   "domain = \"" +
                                       kBoxes +
                                       "\"\n[[solvers]]\nname = \"MCVI\"\n"
                                       "solver = \"mcvi\"\n");
  const std::string line = "bench " + file + " --quiet --out " + f.at("bench");
  EXPECT_THAT(run(line, shared_cache()).err, HasSubstr("pass --trust"));
  const Said trusted = run(line + " --trust", shared_cache());
  EXPECT_EQ(trusted.code, 0) << trusted.out << trusted.err;
}

TEST(NewProject, IsSolvedAsItIs) {
  const Folder f;
  ASSERT_EQ(run("new " + f.at("lost-robot")).code, 0);
  const std::string model = f.at("lost-robot/lost_robot.cpp");
  EXPECT_THAT(text_of(f.at("lost-robot/lost_robot.h")), HasSubstr("struct LostRobot {"));
  EXPECT_EQ(run("check " + model, shared_cache()).code, 0);
  const std::string policy = f.at("a.policy");
  ASSERT_EQ(
      run("solve " + model + " --solver mcvi --backups 100 --quiet -o " + policy, shared_cache())
          .code,
      0);
  EXPECT_THAT(
      run("evaluate " + model + " --policy " + policy + " --against random", shared_cache()).out,
      HasSubstr("the first is better"));
}

TEST(NewProject, NeitherOverwritesNorTakesOddNames) {
  const Folder f;
  ASSERT_EQ(run("new " + f.at("a")).code, 0);
  EXPECT_THAT(run("new " + f.at("a")).err, HasSubstr("is there already"));
  EXPECT_THAT(run("new '" + f.at("my problem") + "'").err, HasSubstr("cannot be the name"));
  EXPECT_THAT(run("new " + f.at("7up")).err, HasSubstr("cannot be the name"));
}
