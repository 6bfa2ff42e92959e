// What is written and read again is the same model, bit for bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "domains/registry.h"
#include "penumbra/io/factored_model.h"
#include "penumbra/io/flat_table.h"
#include "penumbra/io/model_file.h"
#include "penumbra/io/pomdpx_file.h"
#include "tests/io/reading.h"

namespace penumbra {
namespace {

Tabular again(const Tabular& t, bool flat = false) {
  return read_pomdpx_text("m.pomdpx", write_pomdpx_text(t, flat)).table;
}
Tabular again_pomdp(const Tabular& t) {
  return read_pomdp_text("m.pomdp", write_pomdp_text(t)).table;
}

class Writers : public testing::TestWithParam<const char*> {
 protected:
  Tabular table() const {
    const std::string name = GetParam();
    return is_model_path(name) ? read_model_file(data_file(name)).table
                               : tidy(load_domain(name)->table());
  }
};

TEST_P(Writers, PomdpxKeepsEveryBitAndWhatIsVisible) {
  EXPECT_TRUE(same_bits(again(table()), table()));
}
TEST_P(Writers, PomdpKeepsEveryBitOfTheFlatModel) {
  EXPECT_TRUE(same_bits(again_pomdp(table()), flattened(table())));
}
TEST_P(Writers, FlatPomdpxIsTheFlatModel) {
  EXPECT_TRUE(same_bits(again(table(), true), flattened(table())));
}
TEST_P(Writers, WritingTwiceIsWritingOnce) {
  auto body = [](const std::string& text) { return text.substr(text.find('\n')); };
  const std::string once = write_pomdp_text(table());
  EXPECT_TRUE(body(write_pomdp_text(read_pomdp_text("m.pomdp", once).table)) == body(once));
}

INSTANTIATE_TEST_SUITE_P(All, Writers,
                         testing::Values("tiger", "tiger(accuracy=0.7)", "rock-sample(n=3,k=2)",
                                         "rock-sample(n=4,k=3,rules=classic,prior_good=0.3)",
                                         "rock-sample(n=3,k=0)", "grammar.pomdp", "mdp.pomdp",
                                         "dialects.POMDP"));

TEST(ModelWriter, RockSampleStaysFactored) {
  const Tabular t = again(load_domain("rock-sample(n=4,k=3)")->table());
  ASSERT_EQ(t.variables.size(), 4);
  EXPECT_EQ(t.variables[0].name, "robot");
  EXPECT_TRUE(t.variables[0].visible);
  EXPECT_EQ(t.variables[3].values, (std::vector<std::string>{"bad", "good"}));
  EXPECT_LT(write_pomdpx_text(load_domain("rock-sample(map=7-8)")->table()).size(), 200'000);
}

// Numbers that no decimal of few digits has.
TEST(ModelWriter, OddNumbersKeepTheirBits) {
  Tabular t = load_domain("tiger")->table();
  t.start = {1 / 3.0, 1 - 1 / 3.0};
  t.reward[0] = {-1e-300, 1.0 / 7};
  t.reward[1] = {1e22 / 3, -0.1};
  t.observation[0] = {};
  for (int s = 0; s < 2; ++s) {
    t.observation[0].add(0, std::nextafter(0.85, 0));
    t.observation[0].add(1, 1 - std::nextafter(0.85, 0));
    t.observation[0].end_row();
  }
  EXPECT_TRUE(same_bits(again(t), t));
  EXPECT_TRUE(same_bits(again_pomdp(t), t));
}

// A file's own variables, of every kind, are written as they were.
TEST(ModelWriter, AFactoredFileStaysAsItWas) {
  const ModelFile file = read_pomdpx_file(data_file("grammar.pomdpx"));
  const ModelFile back = read_pomdpx_text("m.pomdpx", write_pomdpx_text(*file.factored));
  EXPECT_TRUE(same_bits(back.table, file.table));
  EXPECT_EQ(back.table.variables, file.table.variables);
  EXPECT_EQ(back.factored->observations.size(), 2);
}

// Two random variables whose joint row was not rounded as a product: still the same bits.
TEST(ModelWriter, WhatIsNoProductIsWrittenFlat) {
  Tabular t = read_pomdpx_file(data_file("grammar.pomdpx")).table;
  t.start.assign(12, 0.0);
  for (int s : {0, 3, 5, 6}) t.start[s] = 0.25;  // mood and luck depend on each other
  EXPECT_EQ(again(t).start, t.start);
}

TEST(ModelWriter, NamesThatTheFormatCannotHoldAreMadePlain) {
  Tabular t = load_domain("tiger")->table();
  t.state_names = {"2nd <door>", "T"};
  t.action_names = {"a b", "a_b", "c"};  // two would become one: left out
  const Tabular back = again_pomdp(t);
  EXPECT_THAT(back.state_names, testing::IsEmpty());
  EXPECT_THAT(back.action_names, testing::IsEmpty());
  t.state_names = {"2nd <door>", "third"};
  EXPECT_EQ(again_pomdp(t).state_names, (std::vector<std::string>{"n2nd__door_", "third"}));
}

TEST(ModelWriter, FilesAreReplacedOrLeftAlone) {
  const Tabular t = load_domain("tiger")->table();
  const std::string path = testing::TempDir() + "penumbra_writer.pomdpx";
  write_model_file(path, {t});
  EXPECT_TRUE(same_bits(read_model_file(path).table, t));
  std::filesystem::remove(path);
  EXPECT_THROW(write_model_file("/nowhere/x.pomdp", {t}), Error);
  EXPECT_THROW(write_model_file("model.txt", {t}), Error);
}

}  // namespace
}  // namespace penumbra
