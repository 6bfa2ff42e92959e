#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/program.h"

namespace {

using testing::HasSubstr;
using testing::Not;

class Export : public testing::Test {
 protected:
  std::string at(const std::string& name) const { return folder_.at(name); }
  std::string text(const std::string& name) const { return text_of(at(name)); }

  Folder folder_;
};

TEST_F(Export, VectorsBecomeTheFiveNodesOfTiger) {
  run("solve tiger --solver sarsop --time 5s --episodes 10 --quiet -o " + at("t.policy"));
  const Said said = run("export " + at("t.policy") + " -o " + at("t.h"));
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("5 before it was minimised, 5 after"));
  EXPECT_THAT(text("t.h"), HasSubstr("int t_observe(int state, int observation)"));
}

TEST_F(Export, JsonTellsTheWholeController) {
  run("solve light-dark --backups 50 --episodes 10 --quiet -o " + at("l.policy"));
  const nlohmann::json said = run_json("export " + at("l.policy") + " -o " + at("l.json"));
  const nlohmann::json l = nlohmann::json::parse(text("l.json"));
  EXPECT_EQ(l["nodes"].size(), said["nodes"]);
  EXPECT_LE(said["nodes"], said["nodes_before"]);
  EXPECT_EQ(l["nodes"][0]["next"].size(), 20);
  EXPECT_EQ(l["discretiser"]["centres"].size(), 20);
}

TEST_F(Export, DotIsAGraph) {
  const std::string golden = PENUMBRA_SOURCE "/tests/data/tiger-controller.policy";
  EXPECT_EQ(run("export " + golden + " --format dot -o " + at("t.txt")).code, 0);
  EXPECT_THAT(text("t.txt"), HasSubstr("n0 -> n1 [label=\"hear-left\"]"));
}

TEST_F(Export, ANetworkIsWrittenAsItsWeights) {
  const std::string golden = PENUMBRA_SOURCE "/tests/data/tiger-recurrent.policy";
  EXPECT_EQ(run_json("export " + golden + " -o " + at("n.json"))["units"], 16);
  const nlohmann::json n = nlohmann::json::parse(text("n.json"));
  EXPECT_EQ(n["layers"]["first"]["weights"].size(), 4 + 3 + 12);
  EXPECT_EQ(n["layers"]["state"]["weights"][15].size(), 48);
  EXPECT_EQ(n["layers"]["head"]["biases"].size(), 3);
  EXPECT_THAT(run("export " + golden + " -o " + at("n.dot")).err, HasSubstr("write C or JSON"));
}

const std::string kTiger = PENUMBRA_SOURCE "/tests/data/tiger-controller.policy";

TEST_F(Export, AShrunkPolicyIsScoredAndPlayedAgain) {
  const nlohmann::json said =
      run_json("export " + kTiger + " --shrink --episodes 2000 -o " + at("small.policy"));
  const nlohmann::json s = said["shrink"];
  EXPECT_EQ(s["episodes"], 2000);
  EXPECT_LE(s["nodes"], s["nodes_minimal"]);
  EXPECT_LE(s["nodes_minimal"], said["nodes_before"]);
  EXPECT_NEAR(double(s["before"]["mean"]) - double(s["after"]["mean"]), s["loss"]["mean"], 1e-9);
  const Said played = run("evaluate tiger --episodes 100 --policy " + at("small.policy"));
  EXPECT_EQ(played.code, 0) << played.err;
  const Said words = run("export " + kTiger + " --shrink --episodes 500 -o " + at("t.h"));
  EXPECT_THAT(words.out, HasSubstr("500 fresh episodes"));
  EXPECT_THAT(words.out, HasSubstr("paired; "));
}

TEST_F(Export, ShrinkingRefusesWhatItCannotDo) {
  const std::string to = " -o " + at("x.json");
  EXPECT_THAT(run("export " + kTiger + to + " --loss 0.1").err, HasSubstr("give --shrink too"));
  for (const char* loss : {"0", "-1", "much", "nan", "inf"})
    EXPECT_THAT(run("export " + kTiger + to + " --shrink --loss=" + loss).err,
                HasSubstr("must be a value above 0"));
  EXPECT_THAT(run("export " + kTiger + to + " --shrink --networks").err, HasSubstr("--networks"));
  EXPECT_THAT(run("export " + kTiger + to + " --shrink --model t-maze").err, HasSubstr("t-maze"));
  const std::string network = PENUMBRA_SOURCE "/tests/data/tiger-recurrent.policy";
  EXPECT_THAT(run("export " + network + to + " --shrink").err, HasSubstr("no nodes to take away"));
}

TEST_F(Export, ARecurrentNetworkIsWrittenAsC) {
  const std::string golden = PENUMBRA_SOURCE "/tests/data/tiger-recurrent.policy";
  EXPECT_EQ(run_json("export " + golden + " -o " + at("n.h"))["name"], "n");
  EXPECT_THAT(text("n.h"), HasSubstr("int n_act(n_state* state, double u)"));
}

TEST_F(Export, NetworksOfNodesAreWrittenIfAskedFor) {
  const std::string golden = PENUMBRA_SOURCE "/tests/data/tiger-networks.policy";
  EXPECT_FALSE(run_json("export " + golden + " -o " + at("plain.h")).contains("networks"));
  EXPECT_THAT(text("plain.h"), Not(HasSubstr("alpha")));
  EXPECT_EQ(run_json("export " + golden + " --networks -o " + at("t.h"))["networks"], 14);
  EXPECT_THAT(text("t.h"), HasSubstr("float t_alpha(int state, const t_features* features)"));
  EXPECT_THAT(run("export " + golden + " --networks -o " + at("t.dot")).err, HasSubstr("C only"));
  const std::string without = PENUMBRA_SOURCE "/tests/data/tiger-controller.policy";
  EXPECT_THAT(run("export " + without + " --networks -o " + at("t.h")).err,
              HasSubstr("holds no networks"));
}

TEST_F(Export, SaysWhatIsMissing) {
  const std::string golden = PENUMBRA_SOURCE "/tests/data/tiger-controller.policy";
  EXPECT_THAT(run("export " + golden + " -o " + at("t.txt")).err, HasSubstr("--format c"));
  EXPECT_THAT(run("export " + golden + " -o " + at("t.h") + " --model 'tiger(accuracy=0.7)'").err,
              HasSubstr("made for tiger, which is not the same problem as tiger(accuracy=0.7)"));
  std::ofstream(at("x.alpha")) << "0\n1 1\n";
  EXPECT_THAT(run("export " + at("x.alpha") + " -o " + at("t.h")).err, HasSubstr("--model"));
}

}  // namespace
