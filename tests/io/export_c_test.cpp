#include "penumbra/io/export_c.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/evaluate/score.h"
#include "penumbra/io/c_text.h"
#include "penumbra/model/action_table.h"
#include "penumbra/model/cluster_observations.h"
#include "penumbra/policy/fnc.h"
#include "tests/io/compiled_controller.h"
#include "tests/model/small_models.h"
#include "tests/policy/tiger_controllers.h"

namespace penumbra {
namespace {

Fsc random_controller(const Facts& facts, int nodes, uint64_t seed) {
  Fsc fsc;
  fsc.num_observations = facts.num_observations;
  Rng rng(RngKey::from_seed(seed), 0);
  for (int n = 0; n < nodes; ++n) fsc.add_node(static_cast<int>(rng.below(facts.num_actions)));
  for (int& edge : fsc.edges) edge = static_cast<int>(rng.below(nodes));
  fsc.start = nodes / 2;
  return fsc;
}

// The score of `fsc` on `model`, and of its minimised, exported and compiled form on `raw`.
void expect_same_score(const Pomdp& model, const Pomdp& raw, const Fsc& fsc) {
  ThreadPool pool(1);
  const EvaluateOptions options{.episodes = 2000, .seed = 7};
  const Score original = evaluate(model, FscPolicy(fsc, model.facts()), options, pool);
  const CompiledController compiled(describe_policy(model, minimised(fsc)));
  const Score shipped = evaluate(raw, compiled, options, pool);
  EXPECT_EQ(original.mean, shipped.mean);
  EXPECT_EQ(original.standard_error, shipped.standard_error);
  EXPECT_EQ(original.steps, shipped.steps);
}

TEST(ExportC, TigerScoresTheSameToTheLastDigit) {
  const auto model = load_domain("tiger");
  expect_same_score(*model, *model, tiger_controller());
}

TEST(ExportC, RockSampleScoresTheSameToTheLastDigit) {
  const auto model = load_domain("rock-sample(n=3,k=2)");
  expect_same_score(*model, *model, random_controller(model->facts(), 40, 1));
}

TEST(ExportC, MoreThan256NodesTakeAWiderType) {
  const auto model = load_domain("rock-sample(n=4,k=3)");
  const Fsc fsc = random_controller(model->facts(), 700, 2);
  EXPECT_GT(minimised(fsc).num_nodes(), 256);
  expect_same_score(*model, *model, fsc);
}

// The compiled controller sees what the domain itself shows: floats.
TEST(ExportC, LightDarkScoresTheSameFromPlainObservations) {
  const auto model = load_domain("light-dark(clusters=20)"), raw = load_domain("light-dark");
  expect_same_score(*model, *raw, random_controller(model->facts(), 60, 3));
}

TEST(ExportC, TheDiscretiserFindsTheNearestCentreOfSeveralDimensions) {
  RecordBuffer pushes(sizeof(testing_models::Car::Action), 2);
  pushes.as<testing_models::Car::Action>(0) = {-1, 0};
  pushes.as<testing_models::Car::Action>(1) = {1, 0};
  ClusterOptions options;
  options.num_clusters = 9;
  const auto model = cluster_observations(
      action_table(adapt(testing_models::Car{}), std::move(pushes), {}), options);
  const auto& clusters = dynamic_cast<const ClusterObservations&>(*model);
  const CompiledController c(describe_policy(*model, random_controller(model->facts(), 5, 4)));
  Rng rng(RngKey::from_seed(5), 0);
  for (int i = 0; i < 1000; ++i) {
    const float seen[2] = {static_cast<float>(rng.normal(0, 3)), static_cast<float>(rng.normal())};
    EXPECT_EQ(c.discretise(seen), clusters.classify(seen));
  }
}

TEST(ExportC, TheHeaderIsCleanAsCAndAsCpp) {
  for (const char* domain : {"tiger", "light-dark(clusters=20)", "light-dark(clusters=1)"}) {
    const auto model = load_domain(domain);
    const Folder folder;
    const std::string header = folder.write(
        "c.h", c_header(describe_policy(*model, random_controller(model->facts(), 9, 6)), "c"));
    const std::string use = "#include \"c.h\"\nint main(void) { return c_act(c_start()) < 0; }\n";
    const std::string c = folder.write("c.c", use), cpp = folder.write("c.cpp", use);
    const std::string out = " -o " + folder.at("out");
    EXPECT_TRUE(compiles(PENUMBRA_CC, "-std=c99 " + c + out));
    EXPECT_TRUE(compiles(PENUMBRA_CXX, "-std=c++11 " + cpp + out));
    EXPECT_TRUE(compiles(PENUMBRA_CXX, "-std=c++20 " + cpp + out));
    // Alone, with nothing of it used.
    EXPECT_TRUE(compiles(PENUMBRA_CC, "-std=c99 -fsyntax-only -x c " + header));
  }
}

TEST(ExportC, NamesCannotBreakTheHeader) {
  PolicyFile p = describe_policy(*load_domain("tiger"), tiger_controller());
  p.domain = "a */ b /* c \\";
  p.action_names = {"\"quoted\\", "?\?/ trigraph\n", "caf\xc3\xa9 7"};
  const Folder folder;
  folder.write("c.h", c_header(p, "c"));
  const std::string use = folder.write("c.c",
                                       "#include \"c.h\"\n#include <string.h>\nint main(void) {\n"
                                       "return strcmp(c_action_name(2), \"caf\\303\\251 7\"); }\n");
  EXPECT_TRUE(compiles(PENUMBRA_CC, "-std=c99 " + use + " -o " + folder.at("out")));
  EXPECT_EQ(std::system(folder.at("out").c_str()), 0);
}

TEST(ExportC, IdentifiersComeFromAnyText) {
  EXPECT_EQ(c_identifier("rock-sample(n=3)"), "rock_sample_n_3");
  EXPECT_EQ(c_identifier("7-8"), "policy_7_8");
  EXPECT_EQ(c_identifier(""), "policy");
  EXPECT_EQ(c_identifier("__a--b"), "a_b");
}

}  // namespace
}  // namespace penumbra
