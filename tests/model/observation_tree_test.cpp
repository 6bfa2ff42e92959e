#include "penumbra/model/observation_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "domains/laser_tag.h"
#include "domains/sub_hunt.h"
#include "domains/tiger.h"
#include "domains/vdp_tag.h"
#include "penumbra/base/error.h"
#include "penumbra/model/tree_observations.h"
#include "tests/model/small_models.h"

namespace penumbra {
namespace {

using testing::Each;
using testing::Field;

const std::byte* bytes(const int& number) {
  return reinterpret_cast<const std::byte*>(&number);
}

// A place on a line: coordinate 1 hears it and coordinate 0 is noise. Action 1 hears nothing.
struct Line {
  struct State {
    float place;
  };
  struct Observation {
    float noise, heard;
  };
  Facts facts() const { return {.name = "line", .discount = 0.9, .num_actions = 3}; }
  State sample_initial(Rng& rng) const { return {static_cast<float>(rng.uniform(-5, 5))}; }
  bool is_terminal(const State&) const { return false; }
  static double deviation(int action) { return action == 1 ? 1e6 : 0.5; }
  Outcome<State, Observation> step(const State& s, int action, Rng& rng) const {
    const auto noise = static_cast<float>(rng.normal(0, 9));
    return {s, {noise, static_cast<float>(rng.normal(s.place, deviation(action)))}, 0};
  }
  double likelihood(const Observation& o, int action, const State& s) const {
    const double z = (o.heard - s.place) / deviation(action);
    return std::exp(-0.5 * (z * z + o.noise * o.noise / 81)) / deviation(action);
  }
  double cumulative(float bound, int coordinate, int action, const State& s) const {
    return coordinate == 0 ? normal_cdf(bound / 9.0)
                           : normal_cdf((double(bound) - s.place) / deviation(action));
  }
};

// A whole number that says which side, and a real one that says where on it.
struct Mixed {
  struct State {
    int32_t side;
    float place;
  };
  struct Observation {
    float side, place;
  };
  Facts facts() const { return {.name = "mixed", .discount = 0.9, .num_actions = 1}; }
  State sample_initial(Rng& rng) const {
    return {static_cast<int32_t>(rng.below(3)), static_cast<float>(rng.uniform(0, 4))};
  }
  bool is_terminal(const State&) const { return false; }
  Outcome<State, Observation> step(const State& s, int, Rng& rng) const {
    const int said = rng.bernoulli(0.9) ? s.side : (s.side + 1) % 3;
    return {s, {float(said), static_cast<float>(rng.normal(s.place, 0.5))}, 0};
  }
  double cumulative(float bound, int coordinate, int, const State& s) const {
    if (coordinate == 1) return normal_cdf((double(bound) - s.place) / 0.5);
    return 0.9 * (s.side <= bound) + 0.1 * ((s.side + 1) % 3 <= bound);
  }
};

std::vector<double> chances(const Pomdp& model, const std::byte* action, ConstRecords next) {
  std::vector<double> out(model.facts().num_observations);
  for (int o = 0; o < model.facts().num_observations; ++o)
    model.likelihood(bytes(o), action, next, {&out[o], 1});
  return out;
}

TEST(ObservationTree, LeadsToLeavesThatAreBoxes) {
  const ObservationTree tree({{1, 2.0f, 1, ~0}, {0, -1.0f, ~1, 2}, {1, 0.0f, ~2, ~3}});
  const float seen[][2] = {{5, 2}, {-2, 1}, {0, -3}, {0, 1}};
  for (int leaf = 0; leaf < 4; ++leaf) {
    EXPECT_EQ(tree.leaf(seen[leaf]), leaf);
    for (const ObservationTree::Side& side : tree.box(leaf)) {
      EXPECT_GE(seen[leaf][side.coordinate], side.low);
      EXPECT_LT(seen[leaf][side.coordinate], side.high);
    }
  }
  EXPECT_EQ(tree.box(3).size(), 2);
  EXPECT_EQ(ObservationTree().leaf(seen[0]), 0);
}

TEST(GrowTrees, SplitsOnlyWhatInforms) {
  const ActionTrees trees = grow_trees(*adapt(Line{}), {.num_leaves = 8});
  ASSERT_EQ(trees.trees.size(), 2);
  EXPECT_EQ(trees.of(bytes(0)).num_leaves(), 8);
  EXPECT_THAT(trees.of(bytes(0)).splits(), Each(Field(&ObservationTree::Split::coordinate, 1)));
  EXPECT_EQ(trees.of(bytes(1)).num_leaves(), 1);
}

TEST(GrowTrees, ActionsThatAreAnsweredAlikeShareATree) {
  EXPECT_EQ(grow_trees(*adapt(Line{}), {}).tree_of, (std::vector<int>{0, 1, 0}));
  EXPECT_EQ(grow_trees(*adapt(SubHunt({})), {.num_leaves = 4}).tree_of,
            (std::vector<int>{0, 0, 0, 0, 1, 0}));
  EXPECT_EQ(grow_trees(*adapt(LaserTag({})), {.num_leaves = 4}).trees.size(), 1);
}

TEST(GrowTrees, AContinuousActionTakesTheTreeOfTheNearestSample) {
  const ActionTrees trees = grow_trees(*adapt(VdpTag{}), {.num_leaves = 4});
  ASSERT_EQ(trees.trees.size(), 2);
  const float go[] = {1, 0.05f}, look[] = {4, 0.95f}, other[] = {3, 0.05f};
  auto of = [&](const float* a) { return &trees.of(reinterpret_cast<const std::byte*>(a)); };
  EXPECT_NE(of(go), of(look));
  EXPECT_EQ(of(go), of(other));
}

TEST(GrowTrees, TheSameSeedGivesTheSameTree) {
  auto splits = [](uint64_t seed) {
    return grow_trees(*adapt(Line{}), {.num_leaves = 16, .seed = seed}).trees[0].splits();
  };
  EXPECT_EQ(splits(1), splits(1));
  EXPECT_NE(splits(1), splits(2));
}

TEST(GrowTrees, NeedsADistributionFunctionAndContinuousObservations) {
  EXPECT_THROW(grow_trees(*adapt(Tiger{}), {}), Error);
  EXPECT_THROW(grow_trees(*adapt(testing_models::Padded{}), {}), Error);
}

TEST(TreeObservations, WholeNumbersAreSplitBetweenThem) {
  const auto model = tree_observations(adapt(Mixed{}), {.num_leaves = 12});
  const auto& trees = dynamic_cast<const TreeObservations&>(*model).trees().trees;
  bool both[2] = {false, false};
  for (const ObservationTree::Split& split : trees[0].splits()) {
    both[split.coordinate] = true;
    const bool whole = split.coordinate == 0;
    EXPECT_EQ(split.bound, whole ? std::floor(split.bound) + 0.5f : split.bound);
  }
  EXPECT_TRUE(both[0] && both[1]);
}

TEST(TreeObservations, LikelihoodsSumToOneAndAreHowOftenLeavesAreSeen) {
  constexpr int kLanes = 20'000;
  for (const auto& model : {tree_observations(adapt(SubHunt({})), {.num_leaves = 40}),
                            tree_observations(adapt(Mixed{}), {.num_leaves = 12})}) {
    RecordBuffer first(model->state_size(), 1), state(model->state_size(), kLanes);
    model->sample_initial({RngKey::from_seed(4)}, first);
    for (int i = 0; i < kLanes; ++i) state.copy_from(i, first.at(0));
    for (int action = 0; action < model->facts().num_actions; ++action) {
      StepBuffers b(*model, kLanes);
      const StepResults out = b.results(kLanes);
      model->step(state, std::vector<int>(kLanes, action), {RngKey::from_seed(7)}, out);
      std::vector<double> share(model->facts().num_observations, 0.0), expected = share;
      for (int i = 0; i < kLanes; ++i) share[b.seen.as<int>(i)] += 1.0 / kLanes;
      for (int i = 0; i < kLanes; i += 20) {  // next states differ
        const std::vector<double> p = chances(*model, bytes(action), out.next.sub(i, 1));
        double sum = 0;
        for (size_t o = 0; o < p.size(); ++o) {
          sum += p[o];
          expected[o] += 20.0 * p[o] / kLanes;
        }
        EXPECT_NEAR(sum, 1, 1e-9);
      }
      for (size_t o = 0; o < share.size(); ++o) EXPECT_NEAR(share[o], expected[o], 0.03) << o;
    }
  }
}

TEST(TreeObservations, TreesWithFewerLeavesNeverShowTheLast) {
  const auto model = tree_observations(adapt(Line{}), {.num_leaves = 6});
  EXPECT_EQ(model->facts().num_observations, 6);
  RecordBuffer state(model->state_size(), 1);
  model->sample_initial({RngKey::from_seed(1)}, state);
  EXPECT_EQ(chances(*model, bytes(1), state), (std::vector<double>{1, 0, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace penumbra
