#include "penumbra/model/tabular.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domains/tiger.h"
#include "penumbra/base/error.h"
#include "tests/error_of.h"

namespace penumbra {
namespace {

// The message about tiger's table after `spoil` has had its way with it.
template <class Spoil>
std::string complaint(Spoil spoil) {
  Tabular t = Tiger{}.table();
  spoil(t);
  return error_of([&] { check_tabular(t); });
}

TEST(Tabular, TigerIsFine) {
  EXPECT_EQ(complaint([](Tabular&) {}), "");
}

TEST(Tabular, NamesTheRowThatIsNoDistribution) {
  EXPECT_EQ(
      complaint([](Tabular& t) { t.transition[1].entries[2].value = 0.25; }),
      "tiger: transition of action open-left, state tiger-right: probabilities sum to 0.75, not 1");
  EXPECT_THAT(
      complaint([](Tabular& t) { t.observation[0].entries[0].value = -0.85; }),
      testing::HasSubstr("observation of action listen, state tiger-left, column 0: -0.85 is not"));
  EXPECT_THAT(complaint([](Tabular& t) { t.transition[0].entries[0].value = NAN; }),
              testing::HasSubstr("nan is not a probability"));
}

TEST(Tabular, NamesColumnsOutOfRange) {
  EXPECT_THAT(complaint([](Tabular& t) { t.transition[0].entries[0].column = 2; }),
              testing::HasSubstr("column 2 is out of range"));
}

TEST(Tabular, ChecksSizesStartAndDiscount) {
  EXPECT_NE(complaint([](Tabular& t) { t.reward.pop_back(); }), "");
  EXPECT_NE(complaint([](Tabular& t) { t.reward[0].pop_back(); }), "");
  EXPECT_NE(complaint([](Tabular& t) { t.transition[0].end_row(); }), "");
  EXPECT_NE(complaint([](Tabular& t) { t.start = {0.5, 0.6}; }), "");
  EXPECT_NE(complaint([](Tabular& t) { t.start = {1.5, -0.5}; }), "");
  EXPECT_NE(complaint([](Tabular& t) { t.discount = 1; }), "");
  EXPECT_NE(complaint([](Tabular& t) { t.num_states = 0; }), "");
}

TEST(SparseRows, RowsAreWhatWasAdded) {
  SparseRows rows;
  rows.add(3, 0.5);
  rows.add(1, 0.5);
  rows.end_row();
  rows.end_row();
  EXPECT_EQ(rows.num_rows(), 2);
  EXPECT_EQ(rows.row(0)[1], (SparseRows::Entry{1, 0.5}));
  EXPECT_TRUE(rows.row(1).empty());
}

}  // namespace
}  // namespace penumbra
