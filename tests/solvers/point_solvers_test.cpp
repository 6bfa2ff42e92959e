#include <gtest/gtest.h>

#include "tests/conformance/solver_kit.h"
#include "tests/solvers/tables.h"

namespace penumbra {
namespace {

TEST(PointSolvers, EachBracketsTiger) {
  for (const char* name : {"hsvi2", "pbvi", "perseus"}) {
    const Solution s = solve_table(name, tiger_table(), 1e-2, 3000);
    EXPECT_LE(s.lower, 19.37137) << name;
    EXPECT_GE(s.lower, 19.3) << name;
    EXPECT_GE(s.upper.value, 19.37136) << name;
    EXPECT_GE(fsc_value(controller_of(s), tiger_table()), s.lower - 1e-9) << name;
  }
}

TEST(PointSolvers, Hsvi2ClosesTheGapOfRockSample) {
  const Solution s = solve_table("hsvi2", rock_table(), 1e-2);
  EXPECT_EQ(s.status, "gap");
  EXPECT_NEAR(s.lower, 19.010, 1e-2);
}

TEST(PointSolvers, QmdpAndFibProveTheirUpperBounds) {
  const Solution qmdp = solve_table("qmdp", tiger_table(), 0),
                 fib = solve_table("fib", tiger_table(), 0);
  EXPECT_EQ(qmdp.upper.kind, UpperKind::kProven);
  EXPECT_EQ(fib.upper.kind, UpperKind::kProven);
  EXPECT_NEAR(qmdp.upper.value, 189, 1e-3);  // -1 to listen, then 200 known
  EXPECT_GE(fib.upper.value, 19.371);
  EXPECT_LT(fib.upper.value, qmdp.upper.value);
  EXPECT_EQ(policy_as<VectorPolicy>(qmdp.policy)->vectors.vectors.size(), 3);
}

}  // namespace
}  // namespace penumbra
