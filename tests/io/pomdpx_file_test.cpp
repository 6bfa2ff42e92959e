#include "penumbra/io/pomdpx_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/io/reading.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

std::string grammar_text() {
  std::ostringstream text;
  text << std::ifstream(data_file("grammar.pomdpx")).rdbuf();
  return text.str();
}
std::string spoiled(const std::string& old, const std::string& instead) {
  std::string text = grammar_text();
  const size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return at == std::string::npos ? text : text.replace(at, old.size(), instead);
}
std::string complaint(const std::string& text) {
  return error_of([&] { read_pomdpx_text("m.pomdpx", text); });
}

// States are (place, mood, luck): the visible variable is the slowest.
TEST(PomdpxFile, ReadsEveryConstruct) {
  const ModelFile file = read_pomdpx_file(data_file("grammar.pomdpx"));
  EXPECT_THAT(file.warnings, testing::IsEmpty());
  const Tabular& t = file.table;
  check_tabular(t);
  ASSERT_EQ(t.num_states, 12);
  EXPECT_EQ(t.num_visible, 3);
  EXPECT_EQ(t.num_observations, 4);
  EXPECT_EQ(state_name(t, 7), "s1,cross,good");
  EXPECT_EQ(t.observation_names[2], "loud,o0");
  EXPECT_EQ(t.start, (std::vector<double>{0, .25, 0, .25, 0, .125, 0, .375, 0, 0, 0, 0}));
  // wait in (s1, cross, good): nothing changes.
  EXPECT_EQ(dense(t.transition[0], 12)[7][7], 1);
  // walk from (s1, calm, good): s1 keeps the mood, s2 makes it cross; luck turns.
  const std::vector<double> row = dense(t.transition[1], 12)[5];
  EXPECT_EQ(row, (std::vector<double>{0, 0, 0, 0, .25, .25, 0, 0, .03125, .03125, .21875, .21875}));
  // light is o1 in s0, either in s1; sound after waiting is loud when cross.
  EXPECT_EQ(dense(t.observation[0], 4)[2], (std::vector<double>{0, 0, 0, 1}));
  EXPECT_EQ(dense(t.observation[0], 4)[4], (std::vector<double>{.25, .25, .25, .25}));
  EXPECT_EQ(t.reward[0][0], -0.5);
  EXPECT_EQ(t.reward[1][1], -1 + 2.0);
  EXPECT_EQ(t.reward[1][5], 0.5 * -1 + 0.5 * 15 + 2);
}

TEST(PomdpxFile, ErrorsPointAtThePlace) {
  EXPECT_EQ(complaint(spoiled("<Instance>s1 -</Instance>", "<Instance>s9 -</Instance>")),
            "m.pomdpx:25:24: 'place_0' has no value 's9'; it has s0 to s2\n"
            "        <Entry><Instance>s9 -</Instance><ProbTable>0.25 0.75</ProbTable></Entry>\n"
            "                         ^");
  EXPECT_THAT(
      complaint(spoiled("0.125 0.875", "0.125 0.775")),
      HasSubstr("'mood_1' given move=walk, mood_0=calm, place_1=s2: the probabilities sum to 0.9"));
  EXPECT_THAT(complaint(spoiled("<Terminal>0.75", "<Terminal>0.65")),
              HasSubstr("'luck_1' given move=walk, luck_0=bad: the probabilities sum to 0.9"));
}

TEST(PomdpxFile, EveryKindOfMistakeHasItsWords) {
  const std::vector<std::array<std::string, 3>> cases = {
      {"<Discount> 0.9", "<Discount> 1", "not in [0, 1): write 0.999"},
      {"<Discount> 0.9", "<Discount> much", "must be a number"},
      {"<Discount> 0.9 </Discount>", "", "there is no <Discount>"},
      {"0.25 0.75", "1.85 -0.85", "1.85 is not a probability"},
      {"0.25 0.75", "0.25 x", "'x' is not a number"},
      {"0.25 0.75", "0.25 nan", "'nan' is not a number"},
      {"0.25 0.75", "0.25", "2 numbers are expected and 1 given"},
      {"0.25 0.75", "0.25 0.5 0.25", "2 numbers are expected, not more"},
      {"0.25 0.75", "identity", "identity needs two"},
      {"<Instance>s1 -", "<Instance>s1 - -", "2 values are expected"},
      {"<Instance>s1 -", "<Instance>s1", "2 values are expected and 1 given"},
      {"<Instance>s1 -</Instance>", "", "<Instance> must stand before"},
      {"<ProbTable>0.25 0.75</ProbTable>", "", "has no numbers"},
      {"<Var>mood_0", "<Var>mod_0", "there is no variable 'mod_0' (did you mean 'mood_0'?)"},
      {"<Var>mood_0", "<Var>mood_1", "cannot be described here"},
      {"<Parent>place_0<", "<Parent>move<", "cannot be a parent here"},
      {"<Parent>mood_0 place_1", "<Parent>mood_0 mood_0", "stands twice"},
      {"<Var>gain", "<Var>pain", "there is no <RewardVar>"},
      {"type=\"TBL\"", "type=\"CONT\"", "cannot be read; TBL and DD can"},
      {"idref=\"turn\"", "idref=\"trun\"", "did you mean 'turn'"},
      {"var=\"luck_1\"/>", "var=\"mood_1\"/>", "not among the parents"},
      {"<NumValues>3<", "<NumValues>three<", "not a number of values"},
      {"bad good", "good good", "has the value 'good' twice"},
      {"vnamePrev='luck_0'", "vnamePrev='mood_0'", "two variables are called"},
      {"vnamePrev='luck_0' ", "", "needs the attribute vnamePrev"},
      {"fullyObs='false'", "fullyObs='maybe'", "true or false"},
      {"</Variable>", "</Variabel>", "must be closed"},
      {"</pomdpx>", "", "is not closed"},
      {"<pomdpx", "<pomdp", "<pomdpx> is expected"},
      {"<Discount> 0.9", "<Discount> &lots;", "&lots; is not known"},
      {"<Entry><Instance>good</Instance><ProbTable>1</ProbTable></Entry>", "",
       "no probability is given"},
  };
  for (const auto& [old, instead, words] : cases)
    EXPECT_THAT(complaint(spoiled(old, instead)), HasSubstr(words)) << instead;
  EXPECT_THAT(complaint(""), HasSubstr("not a POMDPX document"));
  EXPECT_THAT(complaint("<pomdpx/>"), HasSubstr("there is no <Variable>"));
}

TEST(PomdpxFile, VariablesMayNotDependOnEachOtherInACircle) {
  std::string text =
      spoiled("<Parent>mood_0 place_1 move</Parent>", "<Parent>mood_0 luck_1 move</Parent>");
  text.replace(text.find("* s2 walk -"), 11, "* bad walk -");
  const std::string luck = "<Parent>luck_0 move</Parent>";
  text.replace(text.find(luck), luck.size(), "<Parent>luck_0 move mood_1</Parent>");
  const std::string persistent = "<SubDAG type=\"persistent\" var=\"luck_1\"/>";
  text.replace(
      text.find(persistent), persistent.size(),
      "<Node var=\"mood_1\"><Edge val=\"calm\">" + persistent +
          "</Edge><Edge val=\"cross\"><SubDAG type=\"uniform\" var=\"luck_1\"/></Edge></Node>");
  EXPECT_THAT(complaint(text), HasSubstr("in a circle"));
}

TEST(PomdpxFile, ADiagramAndATableOfItAreTheSame) {
  const std::string text = grammar_text();
  const size_t begin = text.find("<Parameter type=\"DD\">");
  const std::string end = "</Parameter>";
  const size_t size = text.find(end, begin) + end.size() - begin;
  std::string table = text;
  table.replace(begin, size,
                "<Parameter><Entry><Instance>- wait -</Instance><ProbTable>identity</ProbTable>"
                "</Entry><Entry><Instance>- walk -</Instance><ProbTable>0.75 0.25 0.5 0.5"
                "</ProbTable></Entry></Parameter>");
  EXPECT_TRUE(same_bits(read_pomdpx_text("a", text).table, read_pomdpx_text("b", table).table));
}

}  // namespace
}  // namespace penumbra
