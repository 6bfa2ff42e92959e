#include "penumbra/search/exact_search.h"

#include <gtest/gtest.h>

#include "penumbra/search/falling_upper.h"
#include "tests/search/tables_kit.h"

namespace penumbra::search {
namespace {

TEST(ExactSearch, BracketsTheOptimumAllTheTime) {
  for (const Tabular& table : {tiger_table(), machine_table(), impatient(machine_table())}) {
    const Solved solved(table, 1e-3);
    const double best = solved.value(table.start);
    ExactSearch search(table);
    const double first = search.upper();
    double lower = search.lower(), upper = first;
    for (int i = 0; i < 2000; ++i) {
      EXPECT_LE(search.lower(), best + 1e-3) << table.name;
      EXPECT_GE(search.upper(), best - 1e-9) << table.name;
      EXPECT_GE(search.lower(), lower);
      EXPECT_LE(search.upper(), upper);
      lower = search.lower();
      upper = search.upper();
      if (!search.descend()) break;
    }
    EXPECT_LT(upper - best, 0.9 * (first - best)) << table.name;
  }
}

TEST(ExactSearch, BeliefsThatComeUpAgainAreOne) {
  // After listening the tiger's belief is a whole number: so many more left than right.
  ExactSearch search(tiger_table());
  for (int i = 0; i < 200 && search.descend(); ++i) continue;
  EXPECT_LT(search.num_beliefs(), 100);
  EXPECT_LT(search.upper() - search.lower(), 0.1);
}

TEST(FallingUpper, IsProvenOnATable) {
  const Solved solved(tiger_table(), 1e-3);
  ThreadPool pool(1);
  const auto values = make_mdp_value(*solved.model, {}, RngKey::from_seed(1), pool);
  const UpperValue first = upper_at_start(*solved.model, *values, RngKey::from_seed(2));
  FallingUpper falling(*solved.model, *values, first, RngKey::from_seed(3));
  EXPECT_DOUBLE_EQ(falling.value().value, first.value);
  falling.spend(1e6, pool, {});
  EXPECT_EQ(falling.value().kind, UpperKind::kProven);
  const double best = solved.value(solved.table.start);
  EXPECT_GE(falling.value().value, best - 1e-9);
  EXPECT_LT(falling.value().value, best + 0.1);
  EXPECT_EQ(falling.simulated(falling.steps()), 0);
}

TEST(FallingUpper, DoesWithoutRolloutsWhereTheyAreLong) {
  // Nobody tags by one action for ever: such rollouts last as long as they may.
  const auto model = load_finite_domain("vdp-tag(actions=3,clusters=16)");
  EXPECT_GT(Guide::blind(*model, RngKey::from_seed(1))->steps_per_state(), 50);
  ThreadPool pool(2);
  const auto values = make_mdp_value(*model, {}, RngKey::from_seed(1), pool);
  const UpperValue first = upper_at_start(*model, *values, RngKey::from_seed(2));
  FallingUpper falling(*model, *values, first, RngKey::from_seed(3));
  falling.spend(600'000, pool, {});
  EXPECT_LT(falling.steps(), 2'000'000);
  EXPECT_LT(falling.value().value, first.value);
  EXPECT_EQ(falling.value().kind, UpperKind::kSampled);
}

}  // namespace
}  // namespace penumbra::search
