#include "penumbra/bounds/state_graph.h"

#include <gtest/gtest.h>

#include "domains/registry.h"

namespace penumbra {
namespace {

TEST(RecordIndex, NumbersDistinctRecords) {
  RecordIndex index(sizeof(uint64_t));
  auto bytes = [](const uint64_t& x) { return reinterpret_cast<const std::byte*>(&x); };
  for (uint64_t i = 0; i < 5000; ++i) EXPECT_EQ(index.insert(bytes(i * i)), int32_t(i));
  for (uint64_t i = 0; i < 5000; ++i) EXPECT_EQ(index.insert(bytes(i * i)), int32_t(i));
  EXPECT_EQ(index.find(bytes(uint64_t{49})), 7);
  EXPECT_EQ(index.find(bytes(uint64_t{50})), -1);
  index.clear();
  EXPECT_EQ(index.find(bytes(uint64_t{49})), -1);
  EXPECT_EQ(index.insert(bytes(uint64_t{49})), 0);
}

TEST(StateGraph, ClosesOverASmallProblemAndFindsItsValues) {
  const auto model = load_domain("rock-sample(n=4,k=3)");
  RecordBuffer start(model->state_size(), 200);
  model->sample_initial({RngKey::from_seed(1)}, start);
  StateGraphOptions options{.actions = {0, 1, 2, 3, 4}, .outcomes = 1, .max_states = 1000};
  StateGraph graph(*model, options);
  ThreadPool pool(2);
  graph.expand(start, RngKey::from_seed(2), &pool);
  EXPECT_TRUE(graph.closed());
  EXPECT_EQ(graph.num_states(), 16 * 8);
  EXPECT_EQ(graph.num_roots(), 8);
  graph.solve({}, 1e-9, 1000);
  std::vector<double> exact(graph.num_states());
  model->mdp_value(graph.states(), exact);
  for (size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(graph.values()[i], exact[i], 1e-4);
}

TEST(StateGraph, ExactValuesOnTheFringeGiveExactValuesInside) {
  const auto model = load_domain("rock-sample(n=11,k=11)");
  RecordBuffer start(model->state_size(), 1);
  model->sample_initial({RngKey::from_seed(1)}, start);
  StateGraph graph(*model, {.actions = {0, 1, 2, 3, 4}, .max_states = 500});
  graph.expand(start, RngKey::from_seed(2));
  ASSERT_FALSE(graph.closed());
  std::vector<double> fringe(graph.fringe().count), exact(graph.num_states());
  model->mdp_value(graph.fringe(), fringe);
  graph.solve(fringe, 1e-9, 1000);
  model->mdp_value(graph.states(), exact);
  for (size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(graph.values()[i], exact[i], 1e-4);
}

}  // namespace
}  // namespace penumbra
