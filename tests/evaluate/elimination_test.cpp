#include "penumbra/evaluate/elimination.h"

#include <gtest/gtest.h>

namespace penumbra {
namespace {

TEST(Elimination, TheCheapestNodesGoFirst) {
  // The start leads to 0; 0 leads to 1 and 2, which can stand in for each other at a price.
  const std::vector<EdgeClient> clients = {
      {{}, {{0, 0}}}, {{0}, {{1, 0}, {2, 0.5}}}, {{0}, {{2, 0}, {1, 0.1}}}};
  const Elimination found = eliminate(3, clients);
  ASSERT_EQ(found.order, std::vector<int>({2}));  // then 1 and 0 are all that there is
  EXPECT_DOUBLE_EQ(found.cost[0], 0.1);
}

TEST(Elimination, WhatOnlyTheGoneLedToGoesForNothing) {
  // 1 -> 2 -> 3, and 0 can stand in for 1.
  const std::vector<EdgeClient> clients = {
      {{}, {{0, 0}}}, {{0}, {{1, 0}, {0, 0.2}}}, {{1}, {{2, 0}}}, {{2}, {{3, 0}}}};
  const Elimination found = eliminate(4, clients);
  ASSERT_EQ(found.order.size(), 3u);
  EXPECT_EQ(found.order[0], 1);
  EXPECT_DOUBLE_EQ(found.cost.back(), 0.2);
}

TEST(Elimination, ABetterNodeIsTakenAtOnce) {
  const EdgeClient client{{0}, {{1, -0.3}, {2, 0}}};
  EXPECT_EQ(cheapest(client, {1, 1, 1}), 1);
  EXPECT_EQ(cheapest(client, {1, 0, 1}), 2);
  EXPECT_EQ(cheapest(client, {1, 0, 0}), -1);
}

}  // namespace
}  // namespace penumbra
