#include "penumbra/solvers/anchors/relevance.h"

#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/solvers/anchors/sampling.h"
#include "tests/solvers/anchors/junk_inputs.h"

namespace penumbra::anchors {
namespace {

struct Learned {
  std::vector<float> trees, gradient;
};

// Of light-dark with three inputs of junk behind its own two.
Learned learned_with_junk(int threads) {
  ThreadPool pool(threads);
  const JunkInputs model(load_finite_domain("light-dark"), 3);
  const RngKey key = RngKey::from_seed(1);
  const RecordBuffer states = sample_anchors(model, 1000, key, {});
  const Inputs inputs(model, states);
  const InputRows rows = inputs.encode(states);
  const Targets targets = relevance_targets(model, states, key, pool, {});
  return {relevance_by_trees(rows.x, inputs.width(), targets, key, pool, {}),
          relevance_by_gradient(rows.x, inputs.width(), targets, pool, {})};
}

TEST(Relevance, IsSmallForJunk) {
  const Learned learned = learned_with_junk(2);
  for (const std::vector<float>& r : {learned.trees, learned.gradient}) {
    ASSERT_EQ(r.size(), 5);
    EXPECT_EQ(std::max(r[0], r[1]), 1);
    for (int junk = 2; junk < 5; ++junk) EXPECT_LT(r[junk], 0.2);
  }
}

TEST(Relevance, IsTheSameForAnyNumberOfThreads) {
  const Learned one = learned_with_junk(1), three = learned_with_junk(3);
  EXPECT_EQ(one.trees, three.trees);
  EXPECT_EQ(one.gradient, three.gradient);
}

}  // namespace
}  // namespace penumbra::anchors
