#include "cli/styled_line.h"

#include <gtest/gtest.h>

namespace penumbra::cli {

TEST(StyledLine, WidthIsOfWhatIsSeen) {
  EXPECT_EQ(display_width("abc"), 3);
  EXPECT_EQ(display_width("±█▏"), 3);
  EXPECT_EQ(display_width("e\xcc\x81"), 1);  // a letter and its accent
  EXPECT_EQ(display_width("日本"), 4);
  EXPECT_EQ(display_width("\xff\xe2\x82"), 3);  // no UTF-8: a column a byte
}

TEST(StyledLine, ClipsWholeCharacters) {
  StyledLine line = StyledLine().add("a±", Colour::kBold).add("日本");
  line.clip(3);
  EXPECT_EQ(line.text(false), "a±");
  EXPECT_EQ(line.width(), 2);
}

TEST(StyledLine, NothingFollowsWhatWasCut) {
  StyledLine line = StyledLine().add("日本").add("x");
  line.clip(3);
  EXPECT_EQ(line.text(false), "日");
}

TEST(StyledLine, ColoursEndWithTheirPiece) {
  EXPECT_EQ(StyledLine().add("a", Colour::kGood).add("b").text(true), "\033[32ma\033[0mb");
  EXPECT_EQ(StyledLine().add("a", Colour::kGood).text(false), "a");
}

TEST(StyledLine, TheWidestThatFitsIsTaken) {
  const auto line = [](const char* text) { return StyledLine().add(text); };
  EXPECT_EQ(widest_that_fits({line("12345"), line("123"), line("1")}, 4).text(false), "123");
  EXPECT_EQ(widest_that_fits({line("12345"), line("123")}, 2).text(false), "12");
}

}  // namespace penumbra::cli
