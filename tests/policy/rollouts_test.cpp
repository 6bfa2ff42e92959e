#include "penumbra/policy/rollouts.h"

#include <gtest/gtest.h>

#include <numeric>

#include "domains/registry.h"
#include "domains/tiger.h"

namespace penumbra {
namespace {

TEST(Rollouts, MeanAgreesWithTheExactValueOfTheController) {
  const auto model = load_domain("tiger");
  Fsc fsc;  // listen once, open the other door, start over
  fsc.num_observations = 2;
  fsc.add_node(Tiger::kListen);
  fsc.add_node(Tiger::kOpenRight, 0);
  fsc.add_node(Tiger::kOpenLeft, 0);
  fsc.set_edge(0, 0, 1);
  fsc.set_edge(0, 1, 2);
  constexpr size_t kRollouts = 20'000;
  RecordBuffer states(model->state_size(), kRollouts);
  model->sample_initial({RngKey::from_seed(1)}, states);
  std::vector<int> nodes(kRollouts, 0);
  std::vector<uint64_t> ids(kRollouts);
  std::iota(ids.begin(), ids.end(), uint64_t{0});
  std::vector<float> returns(kRollouts);
  Rollouts rollouts(*model, 300);
  rollouts.run(fsc, states, nodes, ids, RngKey::from_seed(2), returns);
  const double mean = std::accumulate(returns.begin(), returns.end(), 0.0) / kRollouts;
  EXPECT_NEAR(mean, fsc_value(fsc, model->table()), 3.0);
}

TEST(RolloutSet, EqualRolloutsAreDoneOnce) {
  RolloutSet set(4);
  const int32_t a = 1, b = 2;
  auto bytes = [](const int32_t& v) { return reinterpret_cast<const std::byte*>(&v); };
  const int first = set.want(bytes(a), 0, 5);
  EXPECT_EQ(set.want(bytes(a), 0, 5), first);
  EXPECT_NE(set.want(bytes(b), 0, 5), first);
  EXPECT_NE(set.want(bytes(a), 1, 5), first);
  EXPECT_NE(set.want(bytes(a), 0, 6), first);
  EXPECT_EQ(set.size(), 4u);
}

}  // namespace
}  // namespace penumbra
