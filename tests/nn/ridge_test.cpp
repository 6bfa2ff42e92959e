#include "penumbra/nn/ridge.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>

#include "penumbra/base/error.h"
#include "penumbra/nn/gram.h"
#include "penumbra/nn/samples.h"
#include "tests/nn/test_data.h"

namespace penumbra::nn {
namespace {

const RngKey kKey = RngKey::from_seed(21);

Eigen::MatrixXd matrix(const FeatureMatrix& x) {
  Eigen::MatrixXd m(x.rows, x.width);
  for (int r = 0; r < x.rows; ++r) {
    for (int c = 0; c < x.width; ++c) m(r, c) = x.row(r)[c];
  }
  return m;
}

TEST(FeatureMap, IsTheLastHiddenLayerAndAConstant) {
  for (int width : {2, 17, 64, 65, 256}) {
    const FeatureMap map = FeatureMap::random(kMixed, width, kKey);
    const FeatureMatrix x = map.compute(random_states(kMixed, 200, 1));
    ASSERT_EQ(x.width, width);
    for (int r = 0; r < 200; ++r) {
      EXPECT_EQ(x.row(r)[width - 1], 1.0f);
      for (int c = width; c < x.stride; ++c) EXPECT_EQ(x.row(r)[c], 0.0f);
    }
  }
  EXPECT_THROW(FeatureMap(Mlp({kMixed, {}, 1})), Error);
}

TEST(Gram, MatchesEigenForAnyNumberOfThreads) {
  for (int width : {2, 17, 33, 100}) {
    const FeatureMap map = FeatureMap::random(kMixed, width, kKey);
    const FeatureMatrix x = map.compute(random_states(kMixed, 450, 1));
    std::vector<double> weights(x.rows);
    for (int r = 0; r < x.rows; ++r) weights[r] = r % 5 * 0.5;
    GramMatrix one(width), many(width);
    add_rows(one, x, weights);
    ThreadPool pool(3);
    add_rows(many, x, weights, &pool);
    const Eigen::MatrixXd m = matrix(x);
    const Eigen::MatrixXd wanted =
        m.transpose() * Eigen::Map<Eigen::VectorXd>(weights.data(), x.rows).asDiagonal() * m;
    for (int i = 0; i < width; ++i) {
      for (int j = 0; j <= i; ++j) {
        EXPECT_NEAR(one.at(i, j), wanted(i, j), 1e-9 * (1 + std::abs(wanted(i, j))));
        EXPECT_EQ(one.at(i, j), many.at(i, j));
      }
    }
  }
}

// The held-out rows of a fit on `rows` rows; stream 0 for shared rows, 1 for a head's own.
Eigen::VectorXd training_weights(int rows, const RidgeOptions& o, uint64_t stream, double weight) {
  Eigen::VectorXd w = Eigen::VectorXd::Constant(rows, weight);
  for (int r : Split(o.seed + stream, rows, o.holdout).validation) w[r] = 0;
  return w;
}

Eigen::VectorXd solve_plainly(const Eigen::MatrixXd& gram, const Eigen::VectorXd& side,
                              double ridge) {
  const int n = int(gram.rows());
  Eigen::MatrixXd g = gram;
  g.diagonal().head(n - 1).array() += ridge * gram.diagonal().head(n - 1).mean();
  return g.fullPivLu().solve(side);
}

TEST(Ridge, MatchesAPlainSolve) {
  const RidgeOptions o;
  const FeatureMap map = FeatureMap::random(kMixed, 60, kKey);
  const FeatureBatch pool_states = random_states(kMixed, 700, 1),
                     own = random_states(kMixed, 90, 2);
  const FeatureMatrix x = map.compute(pool_states), y = map.compute(own);
  const std::vector<float> t = smooth_targets(pool_states), u = smooth_targets(own);
  const Ridge ridge(x, {}, o);
  const HeadFit shared = ridge.fit(t), both = ridge.fit(t, 0.25, {&y, u, {}});
  ASSERT_TRUE(shared.report.good() && both.report.good());

  const Eigen::MatrixXd a = matrix(x), b = matrix(y);
  const Eigen::VectorXd p = training_weights(700, o, 0, 1), q = training_weights(90, o, 1, 1);
  const Eigen::VectorXd ta = Eigen::Map<const Eigen::VectorXf>(t.data(), 700).cast<double>();
  const Eigen::VectorXd tb = Eigen::Map<const Eigen::VectorXf>(u.data(), 90).cast<double>();
  const Eigen::MatrixXd ga = a.transpose() * p.asDiagonal() * a;
  const Eigen::VectorXd sa = a.transpose() * p.asDiagonal() * ta;
  const Eigen::MatrixXd gb = b.transpose() * q.asDiagonal() * b;
  const Eigen::VectorXd sb = b.transpose() * q.asDiagonal() * tb;
  const Eigen::VectorXd wanted = solve_plainly(ga, sa, o.ridge);
  const Eigen::VectorXd wanted_both = solve_plainly(0.25 * ga + gb, 0.25 * sa + sb, o.ridge);
  for (int i = 0; i < 60; ++i) {
    EXPECT_NEAR(shared.head[i], wanted[i], 1e-5 * (1 + wanted.cwiseAbs().maxCoeff()));
    EXPECT_NEAR(both.head[i], wanted_both[i], 1e-5 * (1 + wanted_both.cwiseAbs().maxCoeff()));
  }
}

TEST(Ridge, ReportsErrorsThatHoldOnFreshRows) {
  const FeatureMap map = FeatureMap::random(kMixed, 128, kKey);
  const FeatureBatch states = random_states(kMixed, 3000, 1),
                     fresh = random_states(kMixed, 3000, 2);
  const std::vector<float> targets = smooth_targets(states), wanted = smooth_targets(fresh);
  const FeatureMatrix x = map.compute(states), y = map.compute(fresh);
  const HeadFit fitted = fit_head({&x, targets, {}}, {});
  ASSERT_EQ(fitted.report.status, FitStatus::kClosedForm);
  double mse = 0;
  for (int r = 0; r < 3000; ++r) {
    double value = 0;
    for (int i = 0; i < 128; ++i) value += double(fitted.head[i]) * y.row(r)[i];
    mse += (value - wanted[r]) * (value - wanted[r]) / 3000;
  }
  EXPECT_NEAR(fitted.report.validation_mse, mse, 0.3 * mse);
  EXPECT_LT(fitted.report.training_mse, mse);
  EXPECT_LT(mse, 0.7 * fitted.report.target_variance);
}

// More features than rows, dead features, equal rows: the ridge keeps the system solvable.
TEST(Ridge, SolvesDegenerateSystems) {
  const FeatureMap map = FeatureMap::random(kMixed, 256, kKey);
  FeatureBatch same(kMixed, 40);
  const FeatureMatrix x = map.compute(same);
  const std::vector<float> targets(40, 3.0f);
  const HeadFit fitted = fit_head({&x, targets, {}}, {});
  ASSERT_TRUE(fitted.report.good());
  EXPECT_NEAR(fitted.report.training_mse, 0, 1e-6);
}

TEST(Ridge, NotFiniteIsReported) {
  const FeatureMap map = FeatureMap::random(kMixed, 16, kKey);
  const FeatureBatch states = random_states(kMixed, 50, 1);
  std::vector<float> targets = smooth_targets(states);
  targets[7] = std::numeric_limits<float>::quiet_NaN();
  const FeatureMatrix x = map.compute(states);
  const HeadFit own = fit_head({&x, targets, {}}, {});
  EXPECT_EQ(own.report.status, FitStatus::kNotFinite);
  EXPECT_TRUE(own.head.empty());
  EXPECT_FALSE(Ridge(x, {}, {}).fit(targets).report.good());
  EXPECT_THROW(fit_head({&x, std::span(targets).first(3), {}}, {}), Error);
}

TEST(Trunk, JointTrainingGivesBetterFeaturesThanRandomOnes) {
  const int nodes = 4, rows = 4000;
  const FeatureBatch states = random_states(kMixed, rows, 1),
                     fresh = random_states(kMixed, rows, 2);
  const std::vector<float> base = smooth_targets(states), wanted = smooth_targets(fresh);
  std::vector<float> targets(rows);
  std::vector<int32_t> heads(rows);
  for (int r = 0; r < rows; ++r) {
    heads[r] = r % nodes;
    targets[r] = base[r] * float(1 + heads[r]) - 3;
  }
  FitOptions o;
  o.batch = 256;
  o.max_epochs = 60;
  const std::vector<int> hidden = {48, 31};
  const TrunkResult trunk =
      train_trunk(kMixed, hidden, nodes, {&states, targets, {}, heads}, o, kKey);
  ASSERT_TRUE(trunk.map);
  ASSERT_EQ(trunk.map->width(), 32);
  auto error = [&](const FeatureMap& map) {
    const FeatureMatrix x = map.compute(fresh);
    return fit_head({&x, wanted, {}}, {}).report.validation_mse;
  };
  EXPECT_LT(error(*trunk.map), 0.5 * error(FeatureMap::random(kMixed, 32, kKey)));
}

}  // namespace
}  // namespace penumbra::nn
