#include "penumbra/io/export_c.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "domains/registry.h"
#include "penumbra/evaluate/score.h"
#include "penumbra/io/c_text.h"
#include "penumbra/io/discretiser_json.h"
#include "penumbra/model/action_table.h"
#include "penumbra/model/cluster_observations.h"
#include "penumbra/model/tree_observations.h"
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

// Metres beside radians: the nearest centre is another one where units are forgotten.
TEST(ExportC, UnitsOfClusteredVectorsTravelWithThem) {
  RecordBuffer pushes(sizeof(testing_models::Car::Action), 1);
  pushes.as<testing_models::Car::Action>(0) = {1, 0};
  const auto model = std::make_unique<ClusterObservations>(
      action_table(adapt(testing_models::Car{}), std::move(pushes), {}),
      std::vector<float>{0, 0, 3, 0.1f, 1, 0.3f}, std::vector<float>{10, 0.1f});
  const PolicyFile made = describe_policy(*model, random_controller(model->facts(), 5, 4));
  const PolicyFile read = decode_policy(encode_policy(made), "memory");
  EXPECT_EQ(read.seen_units, made.seen_units);
  EXPECT_EQ(discretiser_json(read)["units"].size(), 2u);
  const CompiledController c(read);
  Rng rng(RngKey::from_seed(5), 0);
  for (int i = 0; i < 1000; ++i) {
    const float seen[2] = {float(rng.uniform(-5, 8)), float(rng.uniform(-0.2, 0.5))};
    EXPECT_EQ(c.discretise(seen), model->classify(seen));
  }
}

TEST(ExportC, WhatDoesNotExistLeavesTheStateAsItIs) {
  const auto model = load_domain("tiger");
  const PolicyFile policy = describe_policy(*model, tiger_controller());
  const CompiledController c(policy);
  const FscPolicy player(tiger_controller(), model->facts());
  for (const Policy* p : {static_cast<const Policy*>(&c), static_cast<const Policy*>(&player)}) {
    RecordBuffer memory(p->memory_size(), 1);
    p->start({}, memory);
    const int before = memory.as<int32_t>(0);
    for (const int seen : {-1, 2, 1'000'000}) {
      p->observe(memory, {}, {reinterpret_cast<const std::byte*>(&seen), sizeof seen, 1}, {});
      EXPECT_EQ(memory.as<int32_t>(0), before);
    }
  }
}

// Beyond all that was seen the outermost group is taken; what is no number is some group.
TEST(ExportC, AnyFloatIsSomeObservation) {
  const auto model = load_domain("light-dark(clusters=20)");
  const CompiledController c(describe_policy(*model, random_controller(model->facts(), 5, 4)));
  const float infinity = std::numeric_limits<float>::infinity();
  for (const auto& [seen, number] : {std::pair{-infinity, 0}, {-1e30f, 0}, {1e30f, 19}})
    EXPECT_EQ(c.discretise(&seen), number);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_GE(c.discretise(&nan), 0);
  EXPECT_LT(c.discretise(&nan), 20);
}

TEST(ExportC, ATreeIsAskedWithTheActionAndSurvivesTheFile) {
  const auto model = load_domain("sub-hunt(clusters=12,cluster_by=tree)");
  const PolicyFile made = describe_policy(*model, random_controller(model->facts(), 5, 4));
  const PolicyFile read = decode_policy(encode_policy(made), "memory");
  const CompiledHeader c(c_header(read, "c"),
                         "int discretise(int, const float*);\n"
                         "int discretise(int a, const float* s) { return c_discretise(a, s); }\n");
  const auto discretise = c.find<int(int, const float*)>("discretise");
  const auto& trees = dynamic_cast<const TreeObservations&>(*model);
  Rng rng(RngKey::from_seed(5), 0);
  for (int i = 0; i < 1000; ++i) {
    float seen[8];
    for (float& x : seen) x = static_cast<float>(rng.uniform(-10, 25));
    const int action = static_cast<int>(rng.below(6));
    EXPECT_EQ(discretise(action, seen),
              trees.classify(reinterpret_cast<const std::byte*>(&action), seen));
  }
}

TEST(ExportC, TheHeaderIsCleanAsCAndAsCpp) {
  for (const char* domain : {"tiger", "sub-hunt(clusters=5,cluster_by=tree)",
                             "light-dark(clusters=20)", "light-dark(clusters=1)"}) {
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
    EXPECT_TRUE(
        compiles(PENUMBRA_CC, "-std=c99 -Wno-unused-function -fsyntax-only -x c " + header));
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
