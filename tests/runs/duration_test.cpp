#include "penumbra/runs/duration.h"

#include <gtest/gtest.h>

namespace penumbra {
namespace {

TEST(Duration, AsPeopleWriteThem) {
  EXPECT_EQ(parse_duration("--time", "90"), 90);
  EXPECT_EQ(parse_duration("--time", "0.5s"), 0.5);
  EXPECT_EQ(parse_duration("--time", "10m"), 600);
  EXPECT_EQ(parse_duration("--time", "2h"), 7200);
  EXPECT_EQ(parse_duration("--time", "1h30m"), 5400);
  EXPECT_EQ(parse_duration("--time", "1h0m5s"), 3605);
}

TEST(Duration, EverythingElseIsRefused) {
  for (const char* text :
       {"", "s", "h5", "-5", "1h-5m", "1h30", "30m1h", "5m5m", "1h m", "10 m", "5ms", "soon"})
    EXPECT_THROW(parse_duration("--time", text), Error) << text;
}

}  // namespace
}  // namespace penumbra
