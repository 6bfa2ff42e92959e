#include "penumbra/base/lane_rng.h"

#include <gtest/gtest.h>

#include <bit>

namespace penumbra {
namespace {

constexpr size_t kLanes = 1000;

// Ten draws of every lane, of all kinds in turn, against the scalar streams.
void expect_same_bits(Streams streams) {
  LaneRng lanes(streams, kLanes);
  std::vector<Rng> scalar;
  for (size_t i = 0; i < kLanes; ++i) scalar.push_back(streams.rng(i));
  std::vector<double> wide(kLanes);
  std::vector<float> narrow(kLanes);
  for (int draw = 0; draw < 10; ++draw) {
    if (draw % 3 == 0) lanes.uniform(wide);
    if (draw % 3 == 1) lanes.normal(wide);
    if (draw % 3 == 2) lanes.uniform_float(narrow);
    for (size_t i = 0; i < kLanes; ++i) {
      const double expected = draw % 3 == 0   ? scalar[i].uniform()
                              : draw % 3 == 1 ? scalar[i].normal()
                                              : scalar[i].uniform_float();
      const double drawn = draw % 3 == 2 ? narrow[i] : wide[i];
      ASSERT_EQ(std::bit_cast<uint64_t>(drawn), std::bit_cast<uint64_t>(expected));
    }
  }
}

TEST(LaneRng, DrawsWhatScalarStreamsDraw) {
  expect_same_bits({RngKey::from_seed(3).fold("lanes"), 5'000'000'000});
}

TEST(LaneRng, DrawsWhatScalarStreamsWithIdsDraw) {
  std::vector<uint64_t> ids(kLanes);
  for (size_t i = 0; i < kLanes; ++i) ids[i] = RngKey::mix(i);
  expect_same_bits({RngKey::from_seed(4), 0, ids.data()});
}

TEST(LaneRng, SomeOfItsLanesGoOnFromItsPosition) {
  LaneRng all({RngKey::from_seed(1), 10}, 8);
  all.skip(5);
  const int64_t chosen[] = {6, 2};
  LaneRng some = all.at(chosen);
  all.skip(2);
  LaneRng again({RngKey::from_seed(1), 10}, 8);
  again.skip(5);
  const std::span<const uint32_t> bits = again.bits32();
  EXPECT_EQ(some.bits32()[0], bits[6]);
  Rng scalar = all.at(chosen).scalar(1);
  Rng expected(RngKey::from_seed(1), 12);
  for (int i = 0; i < 7; ++i) expected.bits32();
  EXPECT_EQ(scalar.bits32(), expected.bits32());
}

}  // namespace
}  // namespace penumbra
