#include "penumbra/nn/fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "penumbra/base/error.h"
#include "tests/nn/test_data.h"

namespace penumbra::nn {
namespace {

const RngKey kKey = RngKey::from_seed(11);
const MlpShape kShape{kMixed, {32, 16}, 1};

FitOptions quick() {
  FitOptions o;
  o.batch = 256;
  o.max_epochs = 60;
  return o;
}

TEST(Fit, LearnsAndReportsBothErrors) {
  const FeatureBatch states = random_states(kMixed, 4000, 1);
  const std::vector<float> targets = smooth_targets(states);
  const FitResult r = fit(kShape, {&states, targets, {}, {}}, quick(), kKey);
  ASSERT_TRUE(r.report.good()) << name(r.report.status);
  EXPECT_LT(r.report.validation_mse, 0.3 * r.report.target_variance);
  EXPECT_GT(r.report.validation_rows, 300);
  EXPECT_EQ(r.report.validation_rows + r.report.training_rows, 4000);

  const FeatureBatch fresh = random_states(kMixed, 4000, 2);
  const std::vector<float> wanted = smooth_targets(fresh);
  std::vector<float> out(4000);
  r.network->predict(fresh, out);
  double mse = 0;
  for (int i = 0; i < 4000; ++i) mse += std::pow(out[i] - wanted[i], 2) / 4000;
  EXPECT_NEAR(mse, r.report.validation_mse, 0.25 * r.report.validation_mse);
}

// Without early stopping the training error falls far below the error on fresh rows.
TEST(Fit, TrainingErrorAloneLies) {
  const FeatureBatch states = random_states(kMixed, 400, 1);
  std::vector<float> targets = random_floats(400, 3);  // nothing to learn
  FitOptions o = FitOptions::paper();
  o.max_epochs = 600;
  const FitResult r = fit({kMixed, {64, 64}, 1}, {&states, targets, {}, {}}, o, kKey);
  EXPECT_EQ(r.report.status, FitStatus::kReachedTarget);
  EXPECT_LT(r.report.training_mse, 0.15);
  EXPECT_GT(r.report.validation_mse, 1.0);
  const FitResult held = fit({kMixed, {64, 64}, 1}, {&states, targets, {}, {}}, {}, kKey);
  EXPECT_EQ(held.report.status, FitStatus::kEarlyStop);
  EXPECT_LT(held.report.validation_mse, 0.8 * r.report.validation_mse);
}

TEST(Fit, AnnealedItGoesOnToTheLastEpochAndKeepsTheBest) {
  const FeatureBatch states = random_states(kMixed, 4000, 1);
  const std::vector<float> targets = smooth_targets(states);
  const FitResult r = fit(kShape, {&states, targets, {}, {}}, FitOptions::annealed(), kKey);
  EXPECT_EQ(r.report.status, FitStatus::kMaxEpochs);
  EXPECT_EQ(r.report.epochs, 12);
  EXPECT_LT(r.report.validation_mse, 0.3 * r.report.target_variance);
}

TEST(Fit, StoppedItReturnsTheBestSoFar) {
  const FeatureBatch states = random_states(kMixed, 4000, 1);
  const std::vector<float> targets = smooth_targets(states);
  FitOptions o = quick();
  int asked = 0;
  o.stop = [&] { return ++asked > 100; };
  const FitResult r = fit(kShape, {&states, targets, {}, {}}, o, kKey);
  EXPECT_EQ(r.report.status, FitStatus::kStopped);
  EXPECT_EQ(r.report.steps, 100);
  EXPECT_LT(r.report.validation_mse, r.report.target_variance);
  EXPECT_TRUE(r.network.has_value());
}

TEST(Fit, SameBitsForAnyNumberOfThreads) {
  const FeatureBatch states = random_states(kMixed, 3000, 1);
  const std::vector<float> targets = smooth_targets(states);
  FitOptions o;
  o.max_epochs = 3;
  const FitResult alone = fit(kShape, {&states, targets, {}, {}}, o, kKey);
  for (int threads : {1, 2, 3, 5}) {
    ThreadPool pool(threads);
    const FitResult r = fit(kShape, {&states, targets, {}, {}}, o, kKey, &pool);
    EXPECT_EQ(r.network->plain(), alone.network->plain()) << threads;
    EXPECT_EQ(r.report.validation_mse, alone.report.validation_mse);
  }
  const FitResult other = fit(kShape, {&states, targets, {}, {}}, o, kKey.fold(1));
  EXPECT_NE(other.network->plain(), alone.network->plain());
}

TEST(Fit, WarmStartContinues) {
  const FeatureBatch states = random_states(kMixed, 2000, 1);
  const std::vector<float> targets = smooth_targets(states);
  const FitResult first = fit(kShape, {&states, targets, {}, {}}, quick(), kKey);
  FitOptions one = quick();
  one.max_epochs = 1;
  const FitResult warm =
      fit(kShape, {&states, targets, {}, {}}, one, kKey, nullptr, &*first.network);
  const FitResult cold = fit(kShape, {&states, targets, {}, {}}, one, kKey);
  EXPECT_LT(warm.report.validation_mse, 1.05 * first.report.validation_mse);
  EXPECT_LT(warm.report.validation_mse, 0.5 * cold.report.validation_mse);
  const Mlp other = Mlp::random({kMixed, {8}, 1}, kKey);
  EXPECT_THROW(fit(kShape, {&states, targets, {}, {}}, one, kKey, nullptr, &other), Error);
}

TEST(Fit, NotFiniteIsReportedAndNotReturned) {
  FeatureBatch states = random_states(kMixed, 100, 1);
  std::vector<float> targets = smooth_targets(states);
  targets[50] = std::numeric_limits<float>::quiet_NaN();
  FitResult r = fit(kShape, {&states, targets, {}, {}}, quick(), kKey);
  EXPECT_EQ(r.report.status, FitStatus::kNotFinite);
  EXPECT_FALSE(r.network);
  targets[50] = 1;
  states.row(3).dense[1] = std::numeric_limits<float>::infinity();
  r = fit(kShape, {&states, targets, {}, {}}, quick(), kKey);
  EXPECT_EQ(r.report.status, FitStatus::kNotFinite);
  EXPECT_FALSE(r.network);
}

TEST(Fit, DivergenceIsReportedAndNotReturned) {
  const FeatureBatch states = random_states(kMixed, 1000, 1);
  const std::vector<float> targets = smooth_targets(states);
  for (bool early : {false, true}) {
    FitOptions o = quick();
    o.adam.rate = 1e30;
    o.early_stopping = early;
    const FitResult r = fit(kShape, {&states, targets, {}, {}}, o, kKey);
    EXPECT_EQ(r.report.status, FitStatus::kDiverged);
    EXPECT_FALSE(r.report.good());
    EXPECT_FALSE(r.network);
  }
}

TEST(Fit, WeightsMatter) {
  FeatureBatch states(layout_of({1}, 0, 0), 200);  // one state, two answers
  std::vector<float> targets(200), weights(200);
  for (int i = 0; i < 200; ++i) {
    targets[i] = i % 2 ? 10.0f : 0.0f;
    weights[i] = i % 2 ? 3.0f : 1.0f;
  }
  FitOptions o = quick();
  o.max_epochs = 400;
  const FitResult r = fit({layout_of({1}, 0, 0), {4}, 1}, {&states, targets, weights, {}}, o, kKey);
  std::vector<float> out(200);
  r.network->predict(states, out);
  EXPECT_NEAR(out[0], 7.5, 0.5);
}

TEST(Fit, HuberIgnoresOutliers) {
  FeatureBatch states(layout_of({1}, 0, 0), 500);
  std::vector<float> targets(500, 2.0f);
  for (int i = 0; i < 500; i += 10) targets[i] = 100.0f;
  FitOptions o = quick();
  o.max_epochs = 400;
  o.early_stopping = false;
  o.loss = {LossKind::kHuber, 0.1};
  const FitResult r = fit({layout_of({1}, 0, 0), {4}, 1}, {&states, targets, {}, {}}, o, kKey);
  std::vector<float> out(500);
  r.network->predict(states, out);
  EXPECT_NEAR(out[0], 2.0, 1.5);  // the mean is 11.8
}

TEST(Fit, SmallAndWrongInputs) {
  const FeatureBatch one = random_states(kMixed, 1, 1), two = random_states(kMixed, 2, 1);
  const std::vector<float> target = {4.0f, 5.0f};
  EXPECT_TRUE(fit(kShape, {&one, std::span(target).first(1), {}, {}}, quick(), kKey).network);
  const FitResult r = fit(kShape, {&two, target, {}, {}}, quick(), kKey);
  EXPECT_TRUE(std::isfinite(r.report.validation_mse));
  const FeatureBatch none(kMixed, 0);
  EXPECT_THROW(fit(kShape, {&none, {}, {}, {}}, quick(), kKey), Error);
  EXPECT_THROW(fit(kShape, {&one, target, {}, {}}, quick(), kKey), Error);
  FitOptions bad = quick();
  bad.holdout = 0;
  EXPECT_THROW(fit(kShape, {&two, target, {}, {}}, bad, kKey), Error);
  EXPECT_THROW(FitOptions::preset("other"), Error);
}

}  // namespace
}  // namespace penumbra::nn
