#include "cli/progress_block.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cli/value_curve.h"

namespace penumbra::cli {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

SolveProgress simulated(double seconds, uint64_t backups, double mean) {
  SolveProgress p;
  p.seconds = seconds;
  p.backups = backups;
  p.nodes = 12;
  p.estimate = mean + 0.1;
  p.simulated = {mean, 0.05, mean - 0.1, mean + 0.1, 2000};
  p.upper = {25, UpperKind::kProven};
  p.simulator_steps = 3e6;
  p.memory = 50e6;
  return p;
}

RunState solving() {
  RunState state;
  state.domain = "rock-sample(n=7,k=8,map_seed=1)";
  state.solver = "nvi";
  state.limits.seconds = 60;
  for (int i = 0; i < 20; ++i) state.add(simulated(1.5 * i, 100 * i + 1, 7 + 0.7 * i));
  return state;
}

std::string text_of(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

BlockStyle style(int columns, bool unicode = true, bool colours = false, int rows = 24) {
  return {columns, rows, unicode, colours};
}

bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x80; });
}

}  // namespace

TEST(ProgressBlock, TellsPhaseBarValueCurveAndWhatWasAccepted) {
  const std::string text = text_of(ProgressBlock(style(100)).lines(solving(), 30));
  for (const char* words :
       {"rock-sample(n=7,k=8,map_seed=1)  nvi", "solving", "50 %", "30 s of 60 s",
        "value 20.300 ± 0.100", "2000 episodes", "upper bound 25.000",
        "accepted 20.300 (+0.700) at 28 s", "1901 backups", "▁", "█", "░"})
    EXPECT_THAT(text, HasSubstr(words));
}

TEST(ProgressBlock, IsNeverWiderThanTheTerminal) {
  RunState ended = solving();
  ended.phase = RunPhase::kEnded;
  ended.status = "time";
  ended.score = Estimate{20.3, 0.01, 20.28, 20.32, 100'000};
  for (const bool unicode : {true, false})
    for (int columns = 1; columns < 130; ++columns)
      for (const RunState& state : {RunState(), solving(), ended})
        for (const std::string& line :
             ProgressBlock(style(columns, unicode)).lines(state, 30, "ending; Ctrl-C again"))
          ASSERT_LE(display_width(line), std::max(1, columns - 1)) << columns << ": " << line;
}

TEST(ProgressBlock, HasFewerLinesThanTheTerminalHasRows) {
  for (const int rows : {2, 3, 5, 10, 14, 24})
    EXPECT_LT(ProgressBlock(style(80, true, false, rows)).lines(solving(), 30).size(),
              size_t(rows));
}

TEST(ProgressBlock, OfTwentyColumnsStillTellsTheValue) {
  const std::string text = text_of(ProgressBlock(style(20)).lines(solving(), 30));
  for (const char* words : {"solving", "50 %", "20.300 ± 0.100", "1901 backups"})
    EXPECT_THAT(text, HasSubstr(words));
}

TEST(ProgressBlock, IsPlainAsciiInOtherLocales) {
  RunState state = solving();
  state.domain = "gr\xc3\xbc\xc3\x9f.pomdp";
  const std::string text = text_of(ProgressBlock(style(80, false)).lines(state, 30));
  EXPECT_TRUE(is_ascii(text)) << text;
  EXPECT_THAT(text, HasSubstr("20.300 +- 0.100"));
  EXPECT_THAT(text, HasSubstr("[####"));
  EXPECT_THAT(text, HasSubstr("gr??.pomdp"));
}

TEST(ProgressBlock, HasColoursOnlyWhereAskedFor) {
  EXPECT_THAT(text_of(ProgressBlock(style(80)).lines(solving(), 30)), Not(HasSubstr("\033")));
  for (const std::string& line : ProgressBlock(style(80, true, true)).lines(solving(), 30)) {
    const size_t last = line.rfind("\033[");
    if (last != std::string::npos) {
      EXPECT_TRUE(line.substr(last).starts_with("\033[0m")) << "left open: " << line;
    }
  }
}

TEST(ProgressBlock, NamesInFilesCannotSteerTheTerminal) {
  RunState state = solving();
  state.domain = "a\033[2J\r\nb\x80";
  const std::string text = text_of(ProgressBlock(style(80)).lines(state, 30));
  EXPECT_THAT(text, HasSubstr("a?[2J??b?"));
}

TEST(ProgressBlock, TheBarIsOfTheNearestLimit) {
  RunState state = solving();
  state.limits.backups = 2000;
  EXPECT_THAT(text_of(ProgressBlock(style(80)).lines(state, 30)),
              HasSubstr("1901 of 2000 backups"));
  state.limits = {.seconds = 0};
  EXPECT_THAT(text_of(ProgressBlock(style(80)).lines(state, 30)), HasSubstr("30 s, no limit"));
  state.limits.gap = 0.5;
  EXPECT_THAT(text_of(ProgressBlock(style(80)).lines(state, 30)),
              HasSubstr("until the gap is 0.5"));
}

TEST(ProgressBlock, OnlyProvenBoundsAreCalledSo) {
  RunState state = solving();
  SolveProgress line = simulated(29, 2000, 21);
  line.upper.kind = UpperKind::kEstimate;
  state.add(line);
  const std::string text = text_of(ProgressBlock(style(120)).lines(state, 30));
  EXPECT_THAT(text, HasSubstr("upper est. 25.000"));
  EXPECT_THAT(text, Not(HasSubstr("bound")));
  RunState proven;
  line.lower = 20;
  line.lower_proven = true;
  proven.add(line);
  EXPECT_THAT(text_of(ProgressBlock(style(80)).lines(proven, 30)),
              HasSubstr("value 20.000 to 25.000  both proven, gap 5.000"));
}

TEST(ProgressBlock, SaysNothingOfWhatIsNotKnown) {
  RunState state;
  EXPECT_EQ(text_of(ProgressBlock(style(20)).lines(state, 0)), "            waiting\n");
  state.phase = RunPhase::kSettingUp;
  state.limits.seconds = 60;
  EXPECT_EQ(ProgressBlock(style(80)).lines(state, 0).size(), 2u);
  SolveProgress empty;
  empty.upper.value = HUGE_VAL;
  empty.estimate = NAN;
  state.add(empty);  // neither simulated nor proven
  EXPECT_THAT(ProgressBlock(style(80)).lines(state, 1), Each(Not(HasSubstr("value"))));
}

TEST(ValueCurve, AValueHoldsUntilTheNext) {
  const ValueCurve curve = value_curve({{0, 0}, {5, 7}}, 10, 10, 1, true);
  ASSERT_EQ(curve.rows.size(), 1u);
  EXPECT_EQ(curve.rows[0], "▁▁▁▁██████");
}

TEST(ValueCurve, IsBlankBeforeTheFirstValue) {
  EXPECT_EQ(value_curve({{5, 0}, {8, 1}}, 10, 10, 1, false).rows[0], "    ...###");
  EXPECT_TRUE(value_curve({}, 10, 10, 1, true).rows.empty());
  EXPECT_TRUE(value_curve({{0, 1}}, 10, 0, 1, true).rows.empty());
}

TEST(ValueCurve, RowsStandOnEachOther) {
  const ValueCurve curve = value_curve({{0, 0}, {6, 1}}, 10, 2, 3, false);
  EXPECT_EQ(curve.rows, (std::vector<std::string>{" #", " #", ".#"}));
}

TEST(ValueCurve, TakesAnyNumbers) {
  EXPECT_EQ(
      value_curve({{0, 1e308}, {1, -1e308}, {2, NAN}, {3, HUGE_VAL}}, 4, 8, 2, true).rows.size(),
      2u);
  EXPECT_EQ(value_curve({{3, 1}, {3, 2}}, 0, 4, 1, false).rows[0].size(), 4u);
}

}  // namespace penumbra::cli
