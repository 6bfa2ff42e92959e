#include "penumbra/base/stop.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <type_traits>

namespace penumbra {
namespace {

TEST(Stop, AnEmptyOneNeverStops) {
  EXPECT_FALSE(asked_to_stop({}));
  EXPECT_NO_THROW(throw_if_stopped({}));
  const Stop never;
  PacedStop paced(never, 1);
  EXPECT_FALSE(paced.after(100));
}

TEST(Stop, IsAskedOncePerPieceOfWork) {
  int asked = 0;
  const Stop second = [&] { return ++asked == 2; };
  PacedStop paced(second, 10);
  for (int i = 0; i < 19; ++i) EXPECT_FALSE(paced.after(1));
  EXPECT_EQ(asked, 1);
  EXPECT_TRUE(paced.after(1));
  EXPECT_TRUE(paced.after(1000));  // and is believed for good
  EXPECT_EQ(asked, 2);
}

TEST(Stop, StoppedIsNoErrorOfTheUser) {
  const Stop now = [] { return true; };
  EXPECT_THROW(throw_if_stopped(now), Stopped);
  EXPECT_FALSE((std::is_base_of_v<std::runtime_error, Stopped>));
}

}  // namespace
}  // namespace penumbra
