#include "penumbra/base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace penumbra {
namespace {

TEST(Check, NamesTheConditionAndItsPlace) {
  try {
    PENUMBRA_CHECK(1 > 2, "numbers are broken");
    FAIL();
  } catch (const InvariantError& e) {
    EXPECT_THAT(e.what(), testing::MatchesRegex("numbers are broken .1 > 2, error_test.cpp:.*"));
  }
}

TEST(Check, PassesInSilence) {
  EXPECT_NO_THROW(PENUMBRA_CHECK(true, "never"));
}

}  // namespace
}  // namespace penumbra
