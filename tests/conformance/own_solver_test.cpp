// The solver of examples/own_solver.cpp keeps the promises that docs/write-a-solver.md makes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#define main own_solver_main
#include "examples/own_solver.cpp"
#undef main

#include "tests/conformance/solver_kit.h"

namespace penumbra {
namespace {

class OwnSolver : public testing::Test {
 protected:
  Fsc run(const Limits& limits, int threads = 1) {
    Climber solver;
    set_options(solver, "episodes=100 patience=60 evaluations=500");
    ThreadPool pool(threads);
    last_ = solver.solve(*model_, limits, 1, pool, {});
    return controller_of(last_);
  }
  std::unique_ptr<Pomdp> model_ = load_domain(kRocks);
  Solution last_;
};

TEST_F(OwnSolver, GivesTheSamePolicyWithAnyNumberOfThreads) {
  EXPECT_EQ(run(work(300), 1), run(work(300), 3));
  EXPECT_EQ(last_.status, "backups");
}

TEST_F(OwnSolver, GoesOnAfterAStopAsIfThereHadBeenNone) {
  const Fsc whole = run(work(300));
  MemoryCheckpoints checkpoints;
  Fsc last;
  for (uint64_t part : {50, 190, 300}) {
    Limits limits = work(part);
    limits.checkpoints = &checkpoints;
    last = run(limits);
  }
  EXPECT_EQ(last, whole);
}

// Stopped within a round, at every moment that it asks: the round is done again.
TEST_F(OwnSolver, GoesOnAfterAStopWithinARound) {
  const Fsc whole = run(work(100));
  for (int asked_before : {1, 2, 3, 40, 41, 42, 43}) {
    MemoryCheckpoints checkpoints;
    Limits limits = work(100);
    limits.checkpoints = &checkpoints;
    int asked = 0;
    limits.cancelled = [&] { return ++asked > asked_before; };
    run(limits);
    EXPECT_EQ(last_.status, "cancelled");
    EXPECT_LT(last_.backups, 100u);
    limits.cancelled = nullptr;
    EXPECT_EQ(run(limits), whole) << asked_before;
  }
}

TEST_F(OwnSolver, GivesAPolicyWithoutAnyBudget) {
  Limits limits;
  limits.cancelled = [] { return true; };
  EXPECT_EQ(run(limits).num_observations, model_->facts().num_observations);
  EXPECT_EQ(last_.status, "cancelled");
}

}  // namespace
}  // namespace penumbra
