#include "penumbra/solvers/nvi/pool_outcomes.h"

#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/nn/network_bank.h"

namespace penumbra::nvi {
namespace {

// Two nodes with networks of random weights on states of a small map.
struct Fixture {
  Fixture() {
    nn::MlpShape shape{model->features(), {16}, 1};
    auto bank = std::make_shared<nn::NetworkBank>(shape, nn::FitOptions{});
    fnc.fsc.num_observations = model->facts().num_observations;
    for (int n = 0; n < 2; ++n) {
      fnc.fsc.add_node(n);
      bank->add_network(nn::Mlp::random(shape, RngKey::from_seed(n)));
    }
    fnc.networks = bank;
    fnc.alpha = {0, 1};
    states = sample_states(*model, 60, 20, RngKey::from_seed(1), pool, work);
  }
  std::unique_ptr<Pomdp> model = load_domain("rock-sample(n=4,k=4)");
  ThreadPool pool{2};
  Work work;
  Fnc fnc;
  RecordBuffer states;
};

TEST(PoolOutcomes, TargetsAreThoseOfGenDataWhereNothingIsRandom) {
  Fixture f;
  PoolOutcomes outcomes(*f.model, f.states, 5, RngKey::from_seed(2), f.pool, f.work);
  for (int action = 0; action < 5; ++action) {  // sample and moves
    const NewNode node{action, {0, 1, 1}};
    const std::vector<float> found = outcomes.targets(f.fnc, node, {});
    const std::vector<float> wanted = make_training_set(
        *f.model, f.fnc, node, f.states, {.num_sims = 5}, RngKey::from_seed(9), f.pool, f.work);
    ASSERT_EQ(found.size(), wanted.size());
    for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], wanted[i], 1e-4);
  }
}

TEST(PoolOutcomes, AnActionIsSimulatedOnce) {
  Fixture f;
  PoolOutcomes outcomes(*f.model, f.states, 100, RngKey::from_seed(2), f.pool, f.work);
  const std::vector<float> first = outcomes.targets(f.fnc, {6, {0, 1, 1}}, {});
  const double steps = f.work.simulator_steps;
  EXPECT_EQ(outcomes.targets(f.fnc, {6, {0, 1, 1}}, {}), first);
  EXPECT_NE(outcomes.targets(f.fnc, {6, {1, 0, 0}}, {}), first);
  EXPECT_EQ(f.work.simulator_steps, steps);
}

TEST(PoolOutcomes, CanBeStoppedAndAskedAgain) {
  Fixture f;
  PoolOutcomes outcomes(*f.model, f.states, 10, RngKey::from_seed(2), f.pool, f.work);
  EXPECT_THROW(outcomes.targets(f.fnc, {2, {0, 1, 1}}, [] { return true; }), Stopped);
  EXPECT_EQ(outcomes.targets(f.fnc, {2, {0, 1, 1}}, {}).size(), f.states.count());
}

}  // namespace
}  // namespace penumbra::nvi
