#include "penumbra/nn/network_set.h"

#include <gtest/gtest.h>

#include <cmath>

#include "penumbra/base/error.h"
#include "tests/nn/test_data.h"

namespace penumbra::nn {
namespace {

const RngKey kKey = RngKey::from_seed(9);
const MlpShape kShape{kMixed, {20, 9}, 1};

NetworkSet make_set(int count) {
  NetworkSet set(kShape);
  for (int i = 0; i < count; ++i) set.add(Mlp::random(kShape, kKey.fold(i)));
  return set;
}

TEST(NetworkSet, PredictsLikeEachNetworkAlone) {
  for (int count : {0, 1, 3, 20}) {
    for (int rows : {0, 1, 300, 2500}) {
      const NetworkSet set = make_set(count);
      const FeatureBatch states = random_states(kMixed, rows, 1);
      std::vector<float> by_state(size_t(rows) * count), by_network(by_state), alone(rows);
      ThreadPool pool(3);
      set.predict(states, by_state, Order::kStateMajor, &pool);
      set.predict(states, by_network, Order::kNetworkMajor);
      for (int n = 0; n < count; ++n) {
        set[n].predict(states, alone);
        for (int r = 0; r < rows; ++r) {
          ASSERT_EQ(by_state[size_t(r) * count + n], alone[r]);
          ASSERT_EQ(by_network[size_t(n) * rows + r], alone[r]);
        }
      }
    }
  }
}

TEST(NetworkSet, SumsGroupsWithoutTheMatrix) {
  for (int count : {1, 3, 17}) {
    const int rows = 17000, groups = 7;
    const NetworkSet set = make_set(count);
    const FeatureBatch states = random_states(kMixed, rows, 1);
    std::vector<int32_t> group(rows);
    std::vector<float> weights(rows), values(size_t(rows) * count);
    for (int r = 0; r < rows; ++r) {
      group[r] = (r * 5) % (groups + 1) - 1;  // some rows are left out, group 6 is used
      weights[r] = 0.5f + float(r % 4);
    }
    set.predict(states, values);
    std::vector<double> wanted(groups * count), one(groups * count), four(groups * count);
    for (int r = 0; r < rows; ++r) {
      if (group[r] < 0) continue;
      for (int n = 0; n < count; ++n) {
        wanted[group[r] * count + n] += double(weights[r]) * values[size_t(r) * count + n];
      }
    }
    ThreadPool pool(4);
    set.predict_sums(states, {group, groups, weights}, one);
    set.predict_sums(states, {group, groups, weights}, four, &pool);
    EXPECT_EQ(one, four);
    for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(one[i], wanted[i], 1e-7 * rows);
  }
}

TEST(NetworkSet, OneGivenNetworkPerRow) {
  const NetworkSet set = make_set(5);
  const FeatureBatch states = random_states(kMixed, 3000, 1);
  std::vector<float> all(3000 * 5), rows(3000), threaded(3000);
  std::vector<int32_t> which(3000);
  for (int r = 0; r < 3000; ++r) which[r] = r % 7 == 0 ? 4 : r % 2;
  set.predict(states, all);
  set.predict_rows(states, which, rows);
  ThreadPool pool(3);
  set.predict_rows(states, which, threaded, &pool);
  EXPECT_EQ(rows, threaded);
  for (int r = 0; r < 3000; ++r) ASSERT_EQ(rows[r], all[r * 5 + which[r]]);
}

TEST(NetworkSet, KeepsASubsetAndRefusesStrangers) {
  NetworkSet set = make_set(4);
  const std::vector<float> third = set[3].plain();
  const std::vector<int> kept = {3, 1};
  set.keep(kept);
  ASSERT_EQ(set.size(), 2);
  EXPECT_EQ(set[0].plain(), third);
  EXPECT_THROW(set.add(Mlp::random({kMixed, {20}, 1}, kKey)), Error);
  EXPECT_THROW(NetworkSet({kMixed, {20}, 2}), Error);
  std::vector<float> wrong(3);
  EXPECT_THROW(set.predict(random_states(kMixed, 2, 1), wrong), Error);
}

}  // namespace
}  // namespace penumbra::nn
