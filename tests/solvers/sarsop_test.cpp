#include "penumbra/solvers/sarsop/sarsop.h"

#include <gtest/gtest.h>

#include "penumbra/base/error.h"
#include "penumbra/evaluate/score.h"
#include "penumbra/policy/alpha_controller.h"
#include "tests/conformance/solver_kit.h"
#include "tests/solvers/tables.h"

namespace penumbra {
namespace {

TEST(Sarsop, Tiger) {
  const Solution s = solve_table("sarsop", tiger_table(), 1e-3);
  EXPECT_EQ(s.status, "gap");
  EXPECT_LE(s.lower, 19.3714);
  EXPECT_GE(s.upper.value, 19.3713);
  EXPECT_LE(s.upper.value - s.lower, 1e-3);
}

TEST(Sarsop, TheControllerIsWorthTheLowerBoundExactly) {
  for (const Tabular& table : {tiger_table(), rock_table()}) {
    const Solution s = solve_table("sarsop", table, 1e-2);
    const double value = fsc_value(controller_of(s), table);
    EXPECT_GE(value, s.lower - 1e-9);
    EXPECT_LE(value, s.upper.value + 1e-9);
  }
}

TEST(Sarsop, BoundsBracketAtEveryLine) {
  ThreadPool pool(1);
  Limits limits;
  limits.seconds = 0;
  limits.gap = 1e-3;
  double lower = -1e9, upper = 1e9;
  make_sarsop()->solve(*load_domain("tiger"), limits, 1, pool, [&](const SolveProgress& p) {
    EXPECT_TRUE(p.lower_proven && p.upper.kind == UpperKind::kProven);
    EXPECT_GE(p.lower, lower);
    EXPECT_LE(p.upper.value, upper);
    EXPECT_LE(p.lower, p.upper.value);
    lower = p.lower, upper = p.upper.value;
  });
  EXPECT_LE(upper - lower, 1e-3);
}

TEST(Sarsop, VectorsPlayAsWellAsTheyPromise) {
  const Solution s = solve_table("sarsop", tiger_table(), 1e-3);
  const auto model = std::make_shared<const MixedModel>(tiger_table());
  const AlphaPolicy policy(policy_as<VectorPolicy>(s.policy)->vectors, model);
  EXPECT_NEAR(policy.start_value(), s.lower, 1e-9);
  const Fsc fsc = alpha_controller(policy, 2);
  EXPECT_GE(fsc_value(fsc, tiger_table()), s.lower - 1e-6);
  EXPECT_LE(fsc_value(fsc, tiger_table()), s.upper.value + 1e-6);
}

TEST(Sarsop, FlatAndMixedTablesAreTheSameProblem) {
  const Tabular mixed = rock_table();
  Tabular flat = mixed;
  flat.visible.clear();
  flat.num_visible = 1;
  flat.variables.clear();
  const Solution a = solve_table("sarsop", mixed, 1e-3), b = solve_table("sarsop", flat, 1e-3);
  EXPECT_EQ(a.lower, b.lower);
  EXPECT_EQ(a.backups, b.backups);
  EXPECT_NEAR(a.lower, 19.010, 1e-3);
}

TEST(Sarsop, IsRepeatable) {
  const Solution a = solve_table("sarsop", rock_table(), 0, 500);
  const Solution b = solve_table("sarsop", rock_table(), 0, 500);
  EXPECT_EQ(a.status, "backups");
  EXPECT_EQ(policy_as<VectorPolicy>(a.policy)->vectors, policy_as<VectorPolicy>(b.policy)->vectors);
  EXPECT_EQ(a.upper.value, b.upper.value);
}

TEST(Sarsop, NeedsATable) {
  EXPECT_TRUE(make_sarsop()->needs().has(Capability::kTable));
  EXPECT_THROW(require(*load_finite_domain("light-dark"), make_sarsop()->needs(), "sarsop"), Error);
}

}  // namespace
}  // namespace penumbra
