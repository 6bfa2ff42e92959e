#include "penumbra/policy/fnc.h"

#include <gtest/gtest.h>

#include "penumbra/base/rng.h"

namespace penumbra {
namespace {

Fsc random_controller(int nodes, int actions, int observations, uint64_t seed) {
  Fsc fsc;
  fsc.num_observations = observations;
  Rng rng(RngKey::from_seed(seed), 0);
  for (int n = 0; n < nodes; ++n) fsc.add_node(static_cast<int>(rng.below(actions)));
  for (int& edge : fsc.edges) edge = static_cast<int>(rng.below(nodes));
  fsc.start = static_cast<int>(rng.below(nodes));
  return fsc;
}

// Both controllers act alike on random histories.
void expect_same_behaviour(const Fsc& a, const Fsc& b, int histories, int length) {
  for (int h = 0; h < histories; ++h) {
    Rng rng(RngKey::from_seed(99), h);
    int x = a.start, y = b.start;
    for (int t = 0; t < length; ++t) {
      ASSERT_EQ(a.action[x], b.action[y]) << "history " << h << ", step " << t;
      const int seen = static_cast<int>(rng.below(a.num_observations));
      x = a.next(x, seen);
      y = b.next(y, seen);
    }
  }
}

TEST(Fnc, ReachableAndMinimisedActAlikeOnAMillionSteps) {
  const Fsc fsc = random_controller(200, 2, 3, 5);
  expect_same_behaviour(fsc, reachable(fsc), 20'000, 50);
  expect_same_behaviour(fsc, minimised(fsc), 20'000, 50);
}

TEST(Fnc, MinimisedMergesCopies) {
  Fsc fsc;  // two nodes that do the same for ever, and one that nothing reaches
  fsc.num_observations = 2;
  fsc.add_node(1, 1);
  fsc.add_node(1, 0);
  fsc.add_node(0, 0);
  EXPECT_EQ(reachable(fsc).num_nodes(), 2);
  EXPECT_EQ(minimised(fsc).num_nodes(), 1);
}

}  // namespace
}  // namespace penumbra
