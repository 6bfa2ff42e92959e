#include "penumbra/nn/gated_bank.h"

#include <gtest/gtest.h>

#include "penumbra/base/error.h"
#include "tests/nn/test_data.h"

namespace penumbra::nn {
namespace {

const FeatureLayout kLayout{.categories = {2, 3}, .num_bits = 2, .num_dense = 1};

FeatureBatch one_state(int a, int b, bool first, bool second, float x) {
  FeatureBatch batch(kLayout, 1);
  FeatureRow row = batch.row(0);
  row.category[0] = a;
  row.category[1] = b;
  row.set_bit(0, first);
  row.set_bit(1, second);
  row.dense[0] = x;
  return batch;
}

float value(const ValueBank& bank, const FeatureBatch& state, int function) {
  float out = 0;
  bank.predict_rows(state, std::vector<int32_t>{function}, std::span(&out, 1));
  return out;
}

TEST(Gate, NumbersCombinationsOfCategoriesAndTellsThemApartAgain) {
  const Gate gate(kLayout);
  EXPECT_EQ(gate.num_categories(), 6);
  EXPECT_EQ(gate.category(one_state(1, 2, 0, 0, 0), 0), 5);
  EXPECT_EQ(gate.blocks(5), (std::vector<int>{1, 2}));
  EXPECT_EQ(gate.blocks(1), (std::vector<int>{0, 1}));
}

TEST(GatedBank, IsLinearWithinACategoryAndWorthTheLeastElsewhere) {
  GatedBank bank(kLayout, -7);
  bank.add_function(std::vector<GatedBank::Part>{{5, {10, 2, 4, 3}}});
  EXPECT_FLOAT_EQ(value(bank, one_state(1, 2, true, false, 2), 0), 10 + 1 - 2 + 6);
  EXPECT_FLOAT_EQ(value(bank, one_state(0, 2, true, false, 2), 0), -7);
}

TEST(GatedBank, SumsOverABeliefAreThoseOfItsStates) {
  const FeatureBatch states = random_states(kLayout, 60, 3);
  GatedBank bank(kLayout, -2);
  for (int f = 0; f < 3; ++f)
    bank.add_function(std::vector<GatedBank::Part>{{f, {1, 2, 3, float(f)}}, {4, {5, 0, 1, 1}}});
  std::vector<int32_t> group(60);
  for (int i = 0; i < 60; ++i) group[i] = i % 4 - 1;
  std::vector<float> each(60 * 3);
  std::vector<double> sums(9), want(9, 0.0);
  bank.predict(states, each, nullptr);
  bank.predict_sums(states, {group, 3, {}}, sums, nullptr);
  for (int i = 0; i < 60; ++i)
    for (int f = 0; group[i] >= 0 && f < 3; ++f) want[group[i] * 3 + f] += each[i * 3 + f];
  for (int i = 0; i < 9; ++i) EXPECT_NEAR(sums[i], want[i], 1e-3);
}

TEST(GatedBank, FindsTheFunctionThatTargetsComeFrom) {
  const FeatureBatch states = random_states(kLayout, 900, 4);
  GatedBank truth(kLayout, 0), bank(kLayout, 0);
  std::vector<GatedBank::Part> parts;
  for (int c = 0; c < 6; ++c) parts.push_back({c, {float(c), 1, -2, 0.5f}});
  truth.add_function(parts);
  std::vector<float> targets(900);
  truth.predict(states, targets, nullptr);
  const FitReport report = bank.add({.local = &states, .local_targets = targets}, {}, nullptr);
  ASSERT_TRUE(report.good());
  EXPECT_LT(report.validation_mse, 1e-3 * report.target_variance);
  for (int c = 0; c < 6; ++c)
    for (int d = 0; d < 4; ++d) EXPECT_NEAR(bank.parts(0)[c].weights[d], parts[c].weights[d], 0.05);
}

TEST(GatedBank, KeepsTheFunctionsThatAreWanted) {
  GatedBank bank(kLayout, 0);
  for (int f = 0; f < 4; ++f)
    bank.add_function(std::vector<GatedBank::Part>{{f, {float(f), 0, 0, 0}}});
  bank.keep(std::vector<int>{3, 1});
  EXPECT_EQ(bank.size(), 2);
  EXPECT_EQ(bank.parts(0)[0].category, 3);
  EXPECT_EQ(bank.parts(1)[0].weights[0], 1);
}

TEST(GatedBank, RefusesWeightsOfOtherStates) {
  GatedBank bank(kLayout, 0);
  EXPECT_THROW(bank.add_function(std::vector<GatedBank::Part>{{0, {1, 2}}}), Error);
  EXPECT_THROW(bank.add_function(std::vector<GatedBank::Part>{{6, {1, 2, 3, 4}}}), Error);
}

}  // namespace
}  // namespace penumbra::nn
