#include "penumbra/search/leaf.h"

#include <gtest/gtest.h>

#include "penumbra/search/leaf_batch.h"
#include "tests/search/planner_kit.h"

namespace penumbra::search {
namespace {

std::vector<double> values_of(const Pomdp& model, const Leaf& leaf, ConstRecords states,
                              ThreadPool* pool = nullptr) {
  LeafBatch batch(model, leaf, pool);
  for (size_t i = 0; i < states.count; ++i) batch.add(states.at(i), leaf.start_node(), i);
  batch.run(RngKey::from_seed(4));
  std::vector<double> values;
  for (size_t i = 0; i < states.count; ++i) values.push_back(batch.value(static_cast<int>(i)));
  return values;
}

TEST(Leaf, BlindFindsTheWayOut) {
  const auto model = load_domain("rock-sample(n=4,k=4)");
  const auto leaf = leaf_of(*model, "blind");
  EXPECT_EQ(leaf->describe(), "59 times east");
  for (double value : values_of(*model, *leaf, start_states(*model, 3)))
    EXPECT_NEAR(value, 10 * std::pow(0.95, 3), 1e-4);
}

TEST(Leaf, ListeningForEverIsTheBestBlindThingWithATiger) {
  const auto model = load_domain("tiger");
  const auto leaf = leaf_of(*model, "blind", 500);
  EXPECT_NEAR(values_of(*model, *leaf, tigers(1, 0))[0], -20, 1e-3);
}

TEST(Leaf, ValuesDoNotDependOnTheSplit) {
  const auto model = load_domain("light-dark");
  const RecordBuffer states = start_states(*model, 100);
  for (const char* kind : {"rollout", "mdp", "blind", "zero"}) {
    const auto leaf = leaf_of(*model, kind);
    ThreadPool pool(3);
    const std::vector<double> all = values_of(*model, *leaf, states, &pool);
    EXPECT_EQ(all, values_of(*model, *leaf, states));
    const std::vector<double> few = values_of(*model, *leaf, states.sub(0, 7));
    EXPECT_TRUE(std::equal(few.begin(), few.end(), all.begin())) << kind;
  }
}

TEST(Leaf, ControllerMovesWithItsOwnActionsOnly) {
  const auto model = load_domain("tiger");
  const auto leaf = make_controller_leaf(*model, best_of_tiger());
  const int listen = 0, open = 1, right = 1;
  const auto* seen = reinterpret_cast<const std::byte*>(&right);
  EXPECT_EQ(leaf->next_node(0, reinterpret_cast<const std::byte*>(&listen), seen), 2);
  EXPECT_EQ(leaf->next_node(0, reinterpret_cast<const std::byte*>(&open), seen), 0);
}

TEST(Leaf, ControllerIsWorthWhatItGets) {
  const auto model = load_domain("tiger");
  const auto leaf = make_controller_leaf(*model, best_of_tiger(), 200);
  double sum = 0;
  for (double value : values_of(*model, *leaf, start_states(*model, 20'000))) sum += value;
  EXPECT_NEAR(sum / 20'000, 19.37, 1);
}

}  // namespace
}  // namespace penumbra::search
