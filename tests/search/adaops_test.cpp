#include "penumbra/search/adaops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/search/planner_kit.h"
#include "tests/search/tables_kit.h"

namespace penumbra::search {
namespace {

constexpr RngKey kKey = RngKey::from_seed(1);

Adaops blind_adaops(const Pomdp& model, const AdaopsOptions& options = {}) {
  ThreadPool pool(1);
  return Adaops(model, options, Guide::blind(model, kKey), make_mdp_value(model, {}, kKey, pool));
}
AdaopsOptions with_particles(int count) {
  AdaopsOptions options;
  options.particles = count;
  return options;
}

// With exact likelihoods a tree of enough particles has the optimum at its root.
TEST(Adaops, BoundsAtTheRootMeetAtTheOptimum) {
  const Solved solved(impatient(machine_table()));
  const Adaops planner = blind_adaops(*solved.model, with_particles(1000));
  for (const std::vector<double>& belief :
       {solved.table.start, {1, 0, 0}, {0, 1, 0}, {0.3, 0.3, 0.4}}) {
    const WeightedRoot root(belief);
    const Decision now = decide(planner, {root.states, root.weights}, 200);
    EXPECT_LE(now.lower, now.upper);
    EXPECT_LE(now.lower, solved.value(belief) + 0.3);
    EXPECT_GE(now.upper, solved.value(belief) - 0.3);
    EXPECT_LT(now.upper - now.lower, 1);
  }
}

TEST(Adaops, BoundsOnlyComeNearerWithMoreDescents) {
  const auto model = load_domain("rock-sample(n=4,k=4)");
  const RecordBuffer states = start_states(*model);
  const Adaops planner = blind_adaops(*model);
  Decision last = decide(planner, {states}, 1);
  for (uint64_t simulations : {2, 3, 5, 10, 20, 40, 80}) {
    const Decision now = decide(planner, {states}, simulations);
    EXPECT_GE(now.lower, last.lower - 1e-9);
    EXPECT_LE(now.upper, last.upper + 1e-9);
    last = now;
  }
}

// Moves show nothing: their successors are one, whatever the tolerance. A tolerance of 2 leaves one
// belief after every action.
TEST(Adaops, SuccessorsThatDifferLittleAreOne) {
  const auto model = load_domain("tiger");
  const RecordBuffer states = start_states(*model);
  auto seen_after_listening = [&](double delta) {
    AdaopsOptions options;
    options.delta = delta;
    const Adaops planner = blind_adaops(*model, options);
    const auto search = planner.start();
    search->plan({states}, {.simulations = 1}, kKey);
    int count = 0;
    bool listening = false;
    for (const TreeRow& row : search->rows(2, 100)) {
      if (row.level == 1) listening = row.label == "listen";
      count += row.level == 2 && listening;
    }
    return count;
  };
  EXPECT_EQ(seen_after_listening(0.1), 2);
  EXPECT_EQ(seen_after_listening(2), 1);
}

TEST(Adaops, ShareOfSuccessorsIsOne) {
  const auto model = load_domain("tiger");
  const Adaops planner = blind_adaops(*model);
  const auto search = planner.start();
  search->plan({start_states(*model)}, {.simulations = 20}, kKey);
  double share = 0;
  for (const TreeRow& row : search->rows(2, 100)) {
    if (row.level == 1) share = 0;
    if (row.level == 2) share += row.share;
    EXPECT_LE(share, 1 + 1e-9);
  }
  EXPECT_NEAR(share, 1, 1e-9);
}

TEST(Adaops, DecisionIsAFunctionOfBeliefAndKey) {
  const auto model = load_domain("rock-sample(n=4,k=4)");
  const RecordBuffer states = start_states(*model);
  const Adaops planner = blind_adaops(*model);
  const auto search = planner.start();
  search->plan({states}, {.simulations = 30}, RngKey::from_seed(9));
  const Decision alone = search->plan({states}, {.simulations = 30}, RngKey::from_seed(3));
  expect_same_with_threads(planner, {states}, 30, 3, alone);
}

TEST(Adaops, NoTimeGivesAnAnswer) {
  const auto model = load_domain("rock-sample(n=4,k=4)");
  const Adaops planner = blind_adaops(*model);
  const RecordBuffer states = start_states(*model);
  for (const Budget& budget : {Budget{1, 0}, Budget{0, 1e-6}}) {
    const Decision now = planner.start()->plan({states}, budget, kKey);
    ASSERT_EQ(now.action.size(), sizeof(int));
    EXPECT_GT(now.value, 0);
  }
}

}  // namespace
}  // namespace penumbra::search
