#include "penumbra/io/pomdp_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "penumbra/base/error.h"
#include "tests/io/reading.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

// A small correct file with one line more or another in place of `old`.
std::string spoiled(const std::string& old, const std::string& instead) {
  std::string text =
      "discount: 0.9\nvalues: reward\nstates: left right\nactions: stay go\n"
      "observations: low high\nstart: uniform\nT: * identity\nO: * uniform\n"
      "R: go : left : * : * 1\n";
  const size_t at = text.find(old);
  return text.replace(at, old.size(), instead);
}
std::string complaint(const std::string& text, ReadOptions options = {}) {
  return error_of([&] { read_pomdp_text("m.pomdp", text, options); });
}

TEST(PomdpFile, ReadsEveryConstruct) {
  const ModelFile file = read_pomdp_file(data_file("grammar.pomdp"));
  EXPECT_THAT(file.warnings, testing::IsEmpty());
  const Tabular& t = file.table;
  check_tabular(t);
  EXPECT_EQ(t.discount, 0.9);
  EXPECT_EQ(t.action_names[2], "reset-it");
  EXPECT_EQ(t.start, (std::vector<double>{0.5, 0.5, 0}));
  EXPECT_EQ(dense(t.transition[0], 3), (Matrix{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
  EXPECT_EQ(dense(t.transition[1], 3), (Matrix{{0.5, 0.5, 0}, {0, 0.25, 0.75}, {1, 0, 0}}));
  EXPECT_EQ(dense(t.transition[2], 3), (Matrix{{0.5, 0.5, 0}, {0.5, 0.5, 0}, {0.5, 0.5, 0}}));
  EXPECT_EQ(dense(t.observation[0], 2), (Matrix{{1, 0}, {0.25, 0.75}, {0.5, 0.5}}));
  EXPECT_EQ(dense(t.observation[1], 2), (Matrix{{0.5, 0.5}, {0.5, 0.5}, {0.5, 0.5}}));
  EXPECT_EQ(t.reward[0], (std::vector<double>{-1, -1, 3.5}));
  // go: left -> mid is seen high half of the time; mid -> right pays 3 or -4.
  EXPECT_EQ(t.reward[1], (std::vector<double>{0.5 * -1 + 0.5 * 4.5, -0.25 + 0.75 * -0.5, -1}));
  EXPECT_EQ(t.reward[2], (std::vector<double>{-1, -1, 0.5 * 1.5 + 0.5 * 3.5}));
}

TEST(PomdpFile, WithoutObservationsTheStateIsVisible) {
  const Tabular t = read_pomdp_file(data_file("mdp.pomdp")).table;
  EXPECT_EQ(t.visible, (std::vector<int>{0, 1}));
  EXPECT_EQ(t.num_observations, 1);
  EXPECT_EQ(dense(t.transition[0], 2), (Matrix{{0.5, 0.5}, {0.5, 0.5}}));
  EXPECT_EQ(t.reward[0], (std::vector<double>{-2, 0}));  // costs: negated
  EXPECT_EQ(t.reward[1], (std::vector<double>{0, -6}));
}

TEST(PomdpFile, DialectsAreReadWithAWarningOrRefused) {
  const std::string path = data_file("dialects.POMDP");
  const ModelFile file = read_pomdp_file(path);
  EXPECT_EQ(file.warnings.size(), 4);
  EXPECT_THAT(file.warnings[0], HasSubstr("dialects.POMDP:5: a 'costs:' line"));
  EXPECT_EQ(file.table.start, (std::vector<double>{0.5, 0, 0.5}));
  EXPECT_EQ(dense(file.table.observation[1], 2)[2], (std::vector<double>{0.25, 0.75}));
  ReadOptions strict;
  strict.strict = true;
  EXPECT_THAT(error_of([&] { read_pomdp_file(path, strict); }), HasSubstr("strict"));
  const ModelFile one = read_pomdp_text("m.pomdp", spoiled("start: uniform", "start: 1"));
  EXPECT_EQ(one.table.start, (std::vector<double>{0, 1}));
  EXPECT_EQ(one.warnings.size(), 1);
}

TEST(PomdpFile, StartHasManyForms) {
  auto start = [](const std::string& line) {
    return read_pomdp_text("m.pomdp", spoiled("start: uniform", line)).table.start;
  };
  EXPECT_EQ(start(""), (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(start("start: right"), (std::vector<double>{0, 1}));
  EXPECT_EQ(start("start: 0.25 0.75"), (std::vector<double>{0.25, 0.75}));
  EXPECT_EQ(start("start exclude: right"), (std::vector<double>{1, 0}));
  EXPECT_EQ(start("start include: right 0"), (std::vector<double>{0.5, 0.5}));
}

TEST(PomdpFile, ErrorsPointAtThePlace) {
  EXPECT_EQ(complaint(spoiled("R: go : left", "R: go : lefd")),
            "m.pomdp:9:9: there is no state 'lefd' (did you mean 'left'?)\n"
            "  R: go : lefd : * : * 1\n"
            "          ^");
  EXPECT_THAT(
      complaint(spoiled("T: * identity", "T: stay identity\nT: go\n1 0 0.5 0.4")),
      HasSubstr("m.pomdp:8:4: T of action 'go', state 'right': the probabilities sum to 0.9"));
  EXPECT_THAT(complaint(spoiled("T: * identity", "T: stay identity")),
              HasSubstr("T of action 'go'"));
  EXPECT_THAT(complaint(spoiled("uniform\nT", "0.5 0.4\nT")), HasSubstr("sum to 0.9, not 1"));
}

TEST(PomdpFile, EveryKindOfMistakeHasItsWords) {
  const std::vector<std::array<std::string, 3>> cases = {
      {"discount: 0.9", "discount: 1", "must be below 1"},
      {"discount: 0.9", "discount: 1.5", "not in [0, 1)"},
      {"discount: 0.9", "discount: high", "must be a number, not 'high'"},
      {"discount: 0.9\n", "", "no 'discount:' line"},
      {"values: reward", "values: gain", "'reward' or 'cost'"},
      {"values", "valeus", "did you mean 'values'"},
      {"left right", "left left", "named twice"},
      {"left right", "0", "1 or more"},
      {"left right", "2.5", "whole number"},
      {"left right", "T", "reserved"},
      {"states: left right\n", "", "no 'states:' line"},
      {"states:", "states: 2\nstates:", "given twice"},
      {"actions: stay go", "actions:", "needs a number or names"},
      {"start: uniform", "start: 0.5 0.6", "sum to 1.1"},
      {"start: uniform", "start: 1.5 -0.5", "not a probability"},
      {"start: uniform", "start: 5", "no state 5"},
      {"start: uniform", "start exclude: left right", "no state is left"},
      {"T: * identity", "T: * : * identity", "has no place here"},
      {"T: * identity", "T: * reset", "has no place here"},
      {"T: * identity", "T: * 1 0 1", "4 probabilities are expected and 3 given"},
      {"T: * identity", "T: * 1 0 0 1 0", "a number too many"},
      {"T: * identity", "T: * : * : * : * 1", "a probability is expected, not ':'"},
      {"T: * identity", "T: * : left : 7 1", "there is no state 7"},
      {"T: * identity", "T: * identity T: go : left : right 1.5", "1.5 is not a probability"},
      {"T: * identity", "T: * identity T: go : left -0.85 1.85", "-0.85 is not a probability"},
      {"T: * identity", "T * identity", "a ':' is expected after 'T'"},
      {"O: * uniform", "O: * : * : loud 1", "there is no observation 'loud'"},
      {"O: * uniform", "O: * identity", "has no place here"},
      {"R: go : left : * : * 1", "R: go : left 1", "4 rewards are expected and 1 given"},
      {"R: go : left : * : * 1", "R: go 1", "needs a state"},
      {"R: go : left : * : * 1", "R: go : left : * : * much", "then comes 'much'"},
      {"R: go : left : * : * 1", "R: go : left : * : * 1e999", "too large"},
      {"R: go : left : * : * 1", "R: go : left : * : * 5x", "must end before a letter"},
      {"R: go : left : * : * 1", "start: uniform", "must stand before"},
      {"R: go : left : * : * 1", "discount: 0.5", "must stand before"},
      {"R: go : left : * : * 1", "@", "the character '@'"},
      {"R: go : left : * : * 1", "\x01", "a byte 0x01"},
  };
  for (const auto& [old, instead, words] : cases)
    EXPECT_THAT(complaint(spoiled(old, instead)), HasSubstr(words)) << instead;
  EXPECT_THAT(complaint(""), HasSubstr("no 'states:' line"));
  EXPECT_THAT(error_of([] { read_pomdp_file("/nowhere/m.pomdp"); }), HasSubstr("cannot read"));
}

TEST(PomdpFile, RowsOffALittleAreScaledUnlessStrict) {
  const std::string text = spoiled("O: * uniform", "O: * : * 0.333333 0.666666");
  const ModelFile file = read_pomdp_text("m.pomdp", text);
  ASSERT_EQ(file.warnings.size(), 1);
  EXPECT_THAT(file.warnings[0], HasSubstr("m.pomdp:8: O: 1 row is off 1 by up to 1e-06; scaled"));
  const auto row = file.table.observation[0].row(0);
  EXPECT_NEAR(row[0].value + row[1].value, 1, 1e-15);
  ReadOptions strict;
  strict.strict = true;
  EXPECT_THAT(complaint(text, strict), HasSubstr("refused by strict reading"));
  EXPECT_THAT(complaint(spoiled("O: * uniform", "O: * : * 0.3333 0.6666")),
              HasSubstr("sum to 0.9999"));
}

// Permuting the states of a file permutes the table and nothing else.
TEST(PomdpFile, TheOrderOfNamesIsTheOrderOfIndices) {
  const Tabular a =
      read_pomdp_text("m.pomdp",
                      spoiled("T: * identity", "T: * : left 0.25 0.75\nT: * : right : left 1"))
          .table;
  const Tabular b =
      read_pomdp_text("m.pomdp",
                      spoiled("left right", "right left")
                          .replace(spoiled("left right", "right left").find("T: * identity"), 13,
                                   "T: * : left 0.75 0.25\nT: * : right : left 1"))
          .table;
  for (int act = 0; act < 2; ++act)
    for (int s = 0; s < 2; ++s) {
      EXPECT_EQ(a.reward[act][s], b.reward[act][1 - s]);
      for (int next = 0; next < 2; ++next)
        EXPECT_EQ(dense(a.transition[act], 2)[s][next],
                  dense(b.transition[act], 2)[1 - s][1 - next]);
    }
}

}  // namespace
}  // namespace penumbra
