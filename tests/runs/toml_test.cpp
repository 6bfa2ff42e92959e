#include "penumbra/runs/toml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace penumbra {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_toml(text, "f.toml");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Toml, CharactersBeyondAsciiStandInQuotesAndComments) {
  EXPECT_EQ(refusal("\xEF\xBB\xBF# é\nname = \"é\"\n'é' = 'é' # é\n"), "");
  EXPECT_EQ(refusal("a = \"\"\"é\n\"é\" \\\"\"\"\"\"\nb = '''é'\né'''\nc = \"\\\"é\"\n"), "");
  EXPECT_THAT(refusal("a = 1\né = 2\n"), testing::StartsWith("f.toml:2: a character beyond ASCII"));
  EXPECT_THAT(refusal("a = \"\"\nb = 'x' é\n"), testing::StartsWith("f.toml:2: "));
  EXPECT_THAT(refusal("a = \"\"\"x\"\"\"\"\"é\n"), testing::StartsWith("f.toml:1: "));
  EXPECT_THAT(refusal("a = \"\"\"x\\\n é\"\"\"\n"), testing::StartsWith("f.toml:2: "));
  EXPECT_THAT(refusal("a =+=!\"eé\"\n"), testing::StartsWith("f.toml:1: "));
  EXPECT_THAT(refusal("a = \"é"), testing::StartsWith("f.toml:1: "));
}

TEST(Toml, ATableThatBeginsWithNoNameIsRefused) {
  EXPECT_THAT(refusal("a = 1\n[(models]]\n"), testing::StartsWith("f.toml:2: "));
}

}  // namespace
}  // namespace penumbra
