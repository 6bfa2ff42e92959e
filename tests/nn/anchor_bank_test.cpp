#include "penumbra/nn/anchor_bank.h"

#include <gtest/gtest.h>

#include <cmath>

#include "penumbra/base/error.h"

namespace penumbra::nn {
namespace {

const FeatureLayout kLayout{.categories = {3}, .num_bits = 1, .num_dense = 2};

FeatureBatch some_states(int rows, uint64_t seed) {
  FeatureBatch batch(kLayout, rows);
  Rng rng(RngKey::from_seed(seed), 0);
  for (int i = 0; i < rows; ++i) {
    FeatureRow row = batch.row(i);
    row.category[0] = static_cast<int32_t>(rng.below(2));  // the third is never met
    row.set_bit(0, rng.bernoulli(0.5));
    for (float& x : row.dense) x = static_cast<float>(rng.uniform());
  }
  return batch;
}

AnchorBank bank_on(const FeatureBatch& states, bool exact = false, int neighbours = 4) {
  InputKeys keys(states, states.dense(), kLayout.num_dense, true);
  Anchors anchors(keys.encode(states, states.dense()), keys.width(), neighbours, exact);
  return AnchorBank(std::move(keys), std::move(anchors), -9);
}

float smooth(const FeatureBatch& states, int i, float slope) {
  const size_t at = 2 * size_t(i);
  return slope * states.dense()[at] + states.dense()[at + 1] +
         static_cast<float>(states.category()[i]);
}

AnchorBank with_two_functions(const FeatureBatch& states, bool exact = false) {
  std::vector<std::vector<float>> values(2);
  for (int i = 0; i < states.rows(); ++i)
    for (int f = 0; f < 2; ++f) values[f].push_back(smooth(states, i, static_cast<float>(f)));
  return bank_on(states, exact)
      .with(std::vector<std::span<const float>>(values.begin(), values.end()));
}

TEST(AnchorBank, IsTheMeanOfNearAnchorsThatAgreeInWhatIsDiscrete) {
  const FeatureBatch anchors = some_states(4000, 1), asked = some_states(100, 2);
  const AnchorBank bank = with_two_functions(anchors);
  std::vector<float> out(200);
  bank.predict(asked, out, nullptr);
  for (int i = 0; i < 100; ++i)
    for (int f = 0; f < 2; ++f)
      EXPECT_NEAR(out[2 * i + f], smooth(asked, i, static_cast<float>(f)), 0.15);
}

TEST(AnchorBank, IsExactAtItsAnchors) {
  const FeatureBatch anchors = some_states(500, 1);
  std::vector<float> out(1000);
  with_two_functions(anchors, true).predict(anchors, out, nullptr);
  for (int i = 0; i < 500; ++i) EXPECT_EQ(out[2 * i + 1], smooth(anchors, i, 1));
}

TEST(AnchorBank, IsWorthTheLeastWhereNoAnchorAgrees) {
  const AnchorBank bank = with_two_functions(some_states(100, 1));
  FeatureBatch stranger(kLayout, 1);
  stranger.row(0).category[0] = 2;
  std::vector<float> out(2);
  bank.predict(stranger, out, nullptr);
  EXPECT_EQ(out, (std::vector<float>{-9, -9}));
}

TEST(AnchorBank, SumsAndRowsAreThoseOfItsStates) {
  const AnchorBank bank = with_two_functions(some_states(300, 1));
  FeatureBatch asked = some_states(50, 2);
  asked.row(7).category[0] = 2;
  std::vector<float> out(100), weights(50), rows(50);
  std::vector<int32_t> group(50), which(50);
  for (int i = 0; i < 50; ++i) {
    group[i] = i % 3 - 1;
    weights[i] = 0.5f + static_cast<float>(i % 2);
    which[i] = i % 2;
  }
  bank.predict(asked, out, nullptr);
  std::vector<double> sums(4), expected(4, 0.0);
  bank.predict_sums(asked, {group, 2, weights}, sums, nullptr);
  bank.predict_rows(asked, which, rows, nullptr);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(rows[i], out[2 * i + which[i]]);
    if (group[i] < 0) continue;
    for (int f = 0; f < 2; ++f) expected[2 * group[i] + f] += weights[i] * double(out[2 * i + f]);
  }
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(sums[k], expected[k], 1e-4);
}

TEST(AnchorBank, FindsTheFunctionThatTargetsComeFrom) {
  const FeatureBatch anchors = some_states(200, 1), data = some_states(5000, 2);
  AnchorBank bank = with_two_functions(anchors);
  std::vector<float> targets;
  for (int i = 0; i < data.rows(); ++i) targets.push_back(smooth(data, i, 3));
  const FitReport report =
      bank.add({.local = &data, .local_targets = targets}, RngKey::from_seed(1));
  EXPECT_TRUE(report.good());
  EXPECT_LT(report.training_mse, 0.05 * report.target_variance);
  EXPECT_EQ(bank.size(), 3);
  std::vector<float> out(3 * 5000);
  bank.predict(data, out, nullptr);
  double error = 0;
  for (int i = 0; i < 5000; ++i) error += std::pow(out[3 * i + 2] - targets[i], 2) / 5000;
  EXPECT_NEAR(error, report.training_mse, 1e-4);
}

TEST(AnchorBank, ComesBackFromItsBytesAsItWas) {
  for (bool exact : {false, true}) {
    const AnchorBank bank = with_two_functions(some_states(300, 1), exact);
    const auto loaded = load_bank(bank.save(), {});
    EXPECT_EQ(loaded->form(), BankForm::kAnchors);
    EXPECT_EQ(loaded->save(), bank.save());
    const FeatureBatch asked = some_states(40, 3);
    std::vector<float> before(80), after(80);
    bank.predict(asked, before, nullptr);
    loaded->predict(asked, after, nullptr);
    EXPECT_EQ(before, after);
  }
}

TEST(AnchorBank, KeepsTheFunctionsThatAreWanted) {
  AnchorBank bank = with_two_functions(some_states(100, 1), true);
  bank.keep(std::vector<int>{1});
  ASSERT_EQ(bank.size(), 1);
  const FeatureBatch states = some_states(100, 1);
  std::vector<float> out(100);
  bank.predict(states, out, nullptr);
  EXPECT_EQ(out[5], smooth(states, 5, 1));
}

TEST(AnchorBank, RefusesValuesOfOtherAnchors) {
  const std::vector<float> few(3);
  const std::vector<std::span<const float>> functions{few};
  EXPECT_THROW(bank_on(some_states(10, 1)).with(functions), Error);
}

}  // namespace
}  // namespace penumbra::nn
