#include "bench/race.h"

#include <gtest/gtest.h>

namespace penumbra::nn {
namespace {

TEST(Race, AFigureWithoutARoundSaysSo) {
  EXPECT_EQ(figure({}, 1e6, 3, " us"), "not measured");
  EXPECT_EQ(figure({3e-6, 1e-6, 2e-6}, 1e6, 3, " us"), "2.000 us");
}

}  // namespace
}  // namespace penumbra::nn
