// All forms of a bank behave alike.
#include "penumbra/nn/value_bank.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>

#include "penumbra/base/error.h"
#include "tests/nn/test_data.h"

namespace penumbra::nn {
namespace {

const RngKey kKey = RngKey::from_seed(31);

class Bank : public testing::TestWithParam<BankForm> {
 protected:
  Bank() : states(random_states(kMixed, 900, 1)), targets(smooth_targets(states)) {
    options.form = GetParam();
    options.features = 90;
    options.hidden = {24, 12};
    options.fit.max_epochs = 40;
    options.fit.batch = 128;
    bank = make_bank(kMixed, options, kKey);
  }

  void add(int count, ThreadPool* pool = nullptr) {
    for (int i = 0; i < count; ++i) {
      std::vector<float> scaled = targets;
      for (float& t : scaled) t *= float(i + 1);
      const FitData data{.local = &states, .local_targets = scaled};
      ASSERT_TRUE(bank->add(data, kKey.fold(i), pool).good());
    }
  }

  BankOptions options;
  FeatureBatch states;
  std::vector<float> targets;
  std::unique_ptr<ValueBank> bank;
};

TEST_P(Bank, LearnsFromPoolAndLocalRows) {
  const FeatureBatch local = random_states(kMixed, 200, 2);
  const std::vector<float> local_targets = smooth_targets(local);
  bank->set_pool(states);
  for (int part = 1; part <= 3; ++part) {  // local, pool, both
    FitData data;
    if (part & 1) data.local = &local, data.local_targets = local_targets;
    if (part & 2) data.pool_targets = targets;
    const FitReport report = bank->add(data, kKey.fold(part));
    ASSERT_TRUE(report.good());
    EXPECT_EQ(report.training_rows + report.validation_rows,
              (part & 1 ? 200 : 0) + (part & 2 ? 900 : 0));
    EXPECT_TRUE(std::isfinite(report.validation_mse));
    EXPECT_LT(report.training_mse, report.target_variance);
  }
  EXPECT_EQ(bank->size(), 3);
}

TEST_P(Bank, AllPredictionsAgree) {
  add(19);
  const int rows = 1100, groups = 5, n = bank->size();
  const FeatureBatch fresh = random_states(kMixed, rows, 4);
  std::vector<float> all(size_t(rows) * n), chosen(rows), weights(rows, 0.5f);
  std::vector<int32_t> group(rows), which(rows);
  for (int r = 0; r < rows; ++r) group[r] = r % groups, which[r] = r * 3 % n;
  std::vector<double> sums(groups * n), wanted(groups * n);
  bank->predict(fresh, all);
  bank->predict_rows(fresh, which, chosen);
  bank->predict_sums(fresh, {group, groups, weights}, sums);
  for (int r = 0; r < rows; ++r) {
    const float value = all[size_t(r) * n + which[r]];
    EXPECT_NEAR(chosen[r], value, 1e-4 * (1 + std::abs(value)));
    for (int i = 0; i < n; ++i) wanted[group[r] * n + i] += 0.5 * all[size_t(r) * n + i];
  }
  for (size_t i = 0; i < sums.size(); ++i) {
    EXPECT_NEAR(sums[i], wanted[i], 1e-5 * (1 + std::abs(wanted[i])));
  }
}

TEST_P(Bank, SameBitsForAnyNumberOfThreads) {
  add(2);
  const Bytes alone = bank->save();
  ThreadPool pool(4);
  bank = make_bank(kMixed, options, kKey);
  add(2, &pool);
  EXPECT_EQ(bank->save(), alone);
  const FeatureBatch fresh = random_states(kMixed, 5000, 4);
  std::vector<int32_t> group(5000), which(5000, 1);
  for (int r = 0; r < 5000; ++r) group[r] = r % 3;
  std::vector<float> a(10000), b(10000), c(5000), d(5000);
  std::vector<double> e(6), f(6);
  bank->predict(fresh, a);
  bank->predict(fresh, b, &pool);
  bank->predict_rows(fresh, which, c);
  bank->predict_rows(fresh, which, d, &pool);
  bank->predict_sums(fresh, {group, 3, {}}, e);
  bank->predict_sums(fresh, {group, 3, {}}, f, &pool);
  EXPECT_EQ(a, b);
  EXPECT_EQ(c, d);
  EXPECT_EQ(e, f);
}

TEST_P(Bank, PredictsFromManyThreadsAtOnce) {
  add(3);
  std::vector<std::vector<float>> out(4, std::vector<float>(900 * 3));
  std::vector<std::thread> threads;
  for (auto& o : out) threads.emplace_back([&] { bank->predict(states, o); });
  for (std::thread& t : threads) t.join();
  for (const auto& o : out) EXPECT_EQ(o, out[0]);
}

TEST_P(Bank, KeepsASubsetAndSurvivesSaving) {
  add(3);
  std::vector<float> before(900 * 3), after(900 * 2);
  bank->predict(states, before);
  const std::vector<int> kept = {2, 0};
  bank->keep(kept);
  bank = load_bank(bank->save(), options);
  ASSERT_EQ(bank->size(), 2);
  bank->predict(states, after);
  for (int r = 0; r < 900; ++r) {
    EXPECT_EQ(after[r * 2], before[r * 3 + 2]);
    EXPECT_EQ(after[r * 2 + 1], before[r * 3]);
  }
}

TEST_P(Bank, AFailedFitLeavesTheBankAlone) {
  targets[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(bank->add({.local = &states, .local_targets = targets}, kKey).good());
  EXPECT_EQ(bank->size(), 0);
  EXPECT_THROW(bank->add({}, kKey), Error);
  EXPECT_THROW(bank->add({.pool_targets = targets}, kKey), Error);  // no pool yet
  std::vector<float> none;
  bank->predict(states, none);  // empty banks and batches are fine
  bank->predict_sums(FeatureBatch(kMixed, 0), {{}, 0, {}}, {});
}

INSTANTIATE_TEST_SUITE_P(Forms, Bank,
                         testing::Values(BankForm::kHeads, BankForm::kNetworks, BankForm::kGated),
                         [](const auto& test) { return std::string(name(test.param)); });

}  // namespace
}  // namespace penumbra::nn
