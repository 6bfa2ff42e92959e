#include "penumbra/base/features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace penumbra {
namespace {

using testing::ElementsAre;

TEST(Features, ExpandWritesBlocksThenBitsThenDense) {
  FeatureBatch batch({{2, 3}, 3, 2}, 2);
  FeatureRow row = batch.row(1);
  row.category[0] = 1;
  row.category[1] = 2;
  row.set_bit(0);
  row.set_bit(2);
  row.dense[0] = 0.5f;
  row.dense[1] = -7;
  std::vector<float> out(batch.layout().width(), 9.0f);
  batch.expand(1, out);
  EXPECT_THAT(out, ElementsAre(0, 1, 0, 0, 1, 1, 0, 1, 0.5f, -7));
  batch.expand(0, out);
  EXPECT_THAT(out, ElementsAre(1, 0, 1, 0, 0, 0, 0, 0, 0, 0));
}

TEST(Features, BitsSpanWords) {
  FeatureBatch batch({{}, 70, 0}, 3);
  EXPECT_EQ(batch.layout().words(), 3);
  batch.row(2).set_bit(69);
  std::vector<float> out(70);
  batch.expand(2, out);
  EXPECT_EQ(out[69], 1);
  batch.row(2).set_bit(69, false);
  batch.expand(2, out);
  EXPECT_EQ(out[69], 0);
}

TEST(Features, ResizeStartsFromZeros) {
  FeatureBatch batch({{4}, 1, 1}, 1);
  batch.row(0).category[0] = 3;
  batch.resize(2);
  EXPECT_EQ(batch.rows(), 2);
  EXPECT_THAT(batch.category(), ElementsAre(0, 0));
}

TEST(Features, EmptyLayout) {
  EXPECT_TRUE(FeatureLayout{}.empty());
  EXPECT_EQ((FeatureLayout{{400}, 20, 2}.width()), 422);
}

}  // namespace
}  // namespace penumbra
