#include "penumbra/solvers/cells/cell_plan.h"

#include <gtest/gtest.h>

#include "tests/solvers/tables.h"

namespace penumbra::cells {
namespace {

TEST(CellPlan, ComesCloseToTheOptimumOfTigerAndNeverPassesIt) {
  constexpr double kOptimum = 19.3714;
  ThreadPool pool(2);
  CellPlan plan(tiger_table(), RngKey::from_seed(1), pool);
  double last = plan.value();
  while (plan.backups() < 100'000) {
    plan.run([] { return false; });
    EXPECT_GE(plan.value(), last - 1e-4);
    last = plan.value();
    EXPECT_LT(last, kOptimum + 1e-3);
  }
  EXPECT_GT(last, 0.99 * kOptimum);
  EXPECT_GT(plan.mdp_value(), 100);  // the tiger's door is known: 10 per step
}

}  // namespace
}  // namespace penumbra::cells
