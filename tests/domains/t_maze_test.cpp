#include "domains/t_maze.h"

#include <gtest/gtest.h>

namespace penumbra {
namespace {

TEST(TMaze, TheSignIsSeenOnceAndTheTurnDecides) {
  const TMaze maze;
  Rng rng(RngKey::from_seed(1), 0);
  TMaze::State s{0, 1};
  for (int x = 1; x <= maze.length; ++x) {
    const auto o = maze.step(s, TMaze::kEast, rng);
    EXPECT_EQ(o.seen, x == 1             ? TMaze::kSignSouth
                      : x == maze.length ? TMaze::kJunction
                                         : TMaze::kCorridor);
    EXPECT_EQ(o.reward, 0);
    s = o.next;
  }
  EXPECT_EQ(maze.step(s, TMaze::kSouth, rng).reward, 4);
  EXPECT_EQ(maze.step(s, TMaze::kNorth, rng).reward, -0.1f);
  EXPECT_TRUE(maze.is_terminal(maze.step(s, TMaze::kNorth, rng).next));
  EXPECT_EQ(maze.step({5, 0}, TMaze::kNorth, rng).reward, -0.1f);
  EXPECT_NEAR(maze.mdp_value({0, 0}), 3.268, 1e-3);
}

}  // namespace
}  // namespace penumbra
