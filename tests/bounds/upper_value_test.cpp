#include "penumbra/bounds/upper_value.h"

#include <gtest/gtest.h>

#include <map>

#include "domains/registry.h"
#include "penumbra/base/moments.h"

namespace penumbra {
namespace {

UpperValue upper(const Pomdp& model, const std::string& source) {
  ThreadPool pool(1);
  const auto values = make_mdp_value(model, {.source = source}, RngKey::from_seed(1), pool);
  return upper_at_start(model, *values, RngKey::from_seed(2));
}

// The value of every state of b0 by the domain's own bound. rock-sample draws each of them alike.
std::map<int, double> start_values(const Pomdp& model) {
  RecordBuffer states(model.state_size(), 1000);
  model.sample_initial({RngKey::from_seed(3)}, states);
  std::vector<int> index(1000);
  std::vector<double> value(1000);
  model.state_index(states, index);
  model.mdp_value(states, value);
  std::map<int, double> out;
  for (int i = 0; i < 1000; ++i) out[index[i]] = value[i];
  return out;
}

TEST(UpperValue, OfATableIsExactAndProven) {
  const auto tiger = load_domain("tiger");
  const UpperValue u = upper(*tiger, "table");
  EXPECT_EQ(u.kind, UpperKind::kProven);
  EXPECT_NEAR(u.value, 10 / (1 - 0.95), 1e-3);  // the right door at every step
}

TEST(UpperValue, OfADomainIsTheUpperEndOfASampledMean) {
  const auto rocks = load_domain("rock-sample(n=3,k=2)");
  Moments exact;
  for (const auto& [state, value] : start_values(*rocks)) exact.add(value);
  const Estimate mean = exact.estimate();
  ASSERT_EQ(mean.count, 4u);  // two rocks
  const UpperValue u = upper(*rocks, "domain");
  EXPECT_EQ(u.kind, UpperKind::kSampled);
  EXPECT_GE(u.value, mean.mean);
  const double deviation = mean.standard_error * std::sqrt(4.0);
  EXPECT_LE(u.value, mean.mean + 4 * deviation / std::sqrt(16'384.0));
  EXPECT_GE(u.value, upper(*rocks, "table").value - deviation / 10);
}

TEST(UpperValue, OfAFitIsAnEstimate) {
  const UpperValue u = upper(*load_domain("tiger"), "fitted");
  EXPECT_EQ(u.kind, UpperKind::kEstimate);
  EXPECT_NEAR(u.value, 200, 20);
}

TEST(UpperValue, SaysInAWordHowFarItCanBeTrusted) {
  EXPECT_STREQ(name_of(UpperKind::kProven), "proven");
  EXPECT_STREQ(name_of(UpperKind::kSampled), "sampled");
  EXPECT_STREQ(name_of(UpperKind::kEstimate), "estimate");
}

}  // namespace
}  // namespace penumbra
