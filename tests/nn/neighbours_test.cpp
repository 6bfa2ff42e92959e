#include "penumbra/nn/neighbours.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace penumbra::nn {
namespace {

InputRows random_points(int count, int width, int codes) {
  InputRows rows;
  Rng rng(RngKey::from_seed(1), 0);
  for (int i = 0; i < count; ++i) {
    rows.code.push_back(rng.below(static_cast<uint32_t>(codes)));
    // Whole numbers, so that many are equally far.
    for (int k = 0; k < width; ++k) rows.x.push_back(static_cast<float>(rng.below(8)));
  }
  return rows;
}

TEST(Neighbours, AreThoseThatComparingAllWouldFind) {
  constexpr int kWidth = 3, kCount = 5;
  const InputRows points = random_points(2000, kWidth, 3), asked = random_points(50, kWidth, 3);
  const Neighbours tree(points, kWidth);
  std::vector<Neighbours::Near> found, all;
  for (size_t i = 0; i < asked.code.size(); ++i) {
    const float* x = asked.x.data() + i * kWidth;
    all.clear();
    for (size_t p = 0; p < points.code.size(); ++p) {
      if (points.code[p] != asked.code[i]) continue;
      float d = 0;
      for (int k = 0; k < kWidth; ++k)
        d += (x[k] - tree.at(int(p))[k]) * (x[k] - tree.at(int(p))[k]);
      all.push_back({d, static_cast<int>(p)});
    }
    std::sort(all.begin(), all.end());
    all.resize(kCount);
    tree.find(asked.code[i], x, kCount, found);
    EXPECT_EQ(found, all);
  }
}

TEST(Neighbours, AreNoneOfAnUnknownCodeAndNoMoreThanThereAre) {
  const Neighbours tree({{7, 7, 8}, {0, 1, 2}}, 1);
  std::vector<Neighbours::Near> found;
  const float x = 0;
  tree.find(9, &x, 4, found);
  EXPECT_TRUE(found.empty());
  tree.find(7, &x, 4, found);
  EXPECT_EQ(found.size(), 2);
}

}  // namespace
}  // namespace penumbra::nn
