#include "penumbra/solvers/anchors/anchor_table.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "domains/registry.h"

namespace penumbra::anchors {
namespace {

Tabular light_dark(int threads, int anchors) {
  ThreadPool pool(threads);
  return make_table(*load_finite_domain("light-dark"), {.anchors = anchors}, RngKey::from_seed(1),
                    pool)
      .table;
}

TEST(AnchorTable, IsATableOfTheAnchorsAndTheEnd) {
  const Tabular t = light_dark(2, 200);
  EXPECT_NO_THROW(check_tabular(t, 1e-9));
  EXPECT_EQ(t.num_states, 201);
  EXPECT_TRUE(t.terminal[200]);
}

TEST(AnchorTable, WhereStepsEndInAHandfulOfStatesThereAreMoreAnchors) {
  const auto grained = load_finite_domain("sub-hunt(clusters=4)");
  EXPECT_GT(usual_anchors(*grained), default_anchors(dimensions_of(*grained)));
  const auto smooth = load_finite_domain("lunar-lander(actions=35)");
  EXPECT_EQ(usual_anchors(*smooth), default_anchors(dimensions_of(*smooth)));
  ThreadPool pool(2);
  const Tabular t = make_table(*grained, {.anchors = 500}, RngKey::from_seed(1), pool).table;
  EXPECT_NO_THROW(check_tabular(t, 1e-9));
}

TEST(AnchorTable, IsTheSameForAnyNumberOfThreads) {
  const Tabular one = light_dark(1, 300), three = light_dark(3, 300);
  EXPECT_EQ(one.start, three.start);
  EXPECT_EQ(one.reward, three.reward);
  EXPECT_EQ(one.transition, three.transition);
  EXPECT_EQ(one.observation, three.observation);
}

TEST(AnchorTable, HasRewardsOfTheModel) {
  const Tabular t = light_dark(1, 200);
  const auto [least, most] = std::minmax_element(t.reward[1].begin(), t.reward[1].end());
  EXPECT_EQ(*least, -10);
  EXPECT_EQ(*most, 10);
}

TEST(AnchorTable, IsExactWhereStatesAreDiscrete) {
  ThreadPool pool(2);
  const auto model = load_domain("rock-sample(n=3,k=2)");
  const Tabular t = make_table(*model, {.anchors = 400}, RngKey::from_seed(1), pool).table;
  EXPECT_EQ(t.num_states, 37);  // nine places, two rocks, and the end
  for (const SparseRows& rows : t.transition)
    for (const SparseRows::Entry& e : rows.entries) EXPECT_EQ(e.value, 1);
}

TEST(AnchorTable, EndsWhenItIsTold) {
  ThreadPool pool(1);
  const auto model = load_finite_domain("light-dark");
  EXPECT_THROW(make_table(*model, {}, RngKey::from_seed(1), pool, [] { return true; }), Stopped);
}

}  // namespace
}  // namespace penumbra::anchors
