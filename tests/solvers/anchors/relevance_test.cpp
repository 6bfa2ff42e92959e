#include "penumbra/solvers/anchors/relevance.h"

#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/solvers/anchors/sampling.h"
#include "tests/solvers/anchors/junk_inputs.h"

namespace penumbra::anchors {
namespace {

// Of light-dark with three inputs of junk behind its own two.
std::vector<float> relevance_with_junk(int threads) {
  ThreadPool pool(threads);
  const JunkInputs model(load_finite_domain("light-dark"), 3);
  const RngKey key = RngKey::from_seed(1);
  const RecordBuffer states = sample_anchors(model, 500, 0, key, {});
  const Inputs inputs(model, states);
  const InputRows rows = inputs.encode(states);
  const Targets targets = relevance_targets(model, states, true, key, pool, {});
  return relevance(rows.x, inputs.width(), targets, key, pool, {});
}

TEST(Relevance, IsSmallForJunk) {
  const std::vector<float> r = relevance_with_junk(2);
  ASSERT_EQ(r.size(), 5);
  for (int own : {0, 1}) EXPECT_GT(r[own], 0.5);
  for (int junk : {2, 3, 4}) EXPECT_LT(r[junk], 0.1);
}

TEST(Relevance, IsTheSameForAnyNumberOfThreads) {
  EXPECT_EQ(relevance_with_junk(1), relevance_with_junk(3));
}

}  // namespace
}  // namespace penumbra::anchors
