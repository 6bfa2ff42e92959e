#include "penumbra/solvers/nvi/neural_backup.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "domains/registry.h"
#include "penumbra/model/record_set.h"
#include "penumbra/nn/network_bank.h"

namespace penumbra::nvi {
namespace {

// Tiger with three blind nodes, whose values a network of two inputs can hold exactly.
struct BlindTiger {
  BlindTiger() : model(load_domain("tiger")) {
    fnc.fsc.num_observations = 2;
    for (int a = 0; a < 3; ++a) fnc.fsc.add_node(a);
    values = fsc_values(fnc.fsc, model->table());
    nn::MlpShape shape{model->features(), {}, 1};
    auto bank = std::make_shared<nn::NetworkBank>(shape, nn::FitOptions{});
    for (int n = 0; n < 3; ++n) {
      nn::Mlp network(shape);
      std::vector<float> plain(network.layout().num_plain(), 0.0f);
      for (int s = 0; s < 2; ++s) plain[s] = float(values[n * 2 + s]);
      network.set_plain(plain);
      bank->add_network(std::move(network));
    }
    fnc.networks = bank;
    fnc.alpha = {0, 1, 2};
  }
  Particles belief(double right, int count) const {
    Particles b(model->state_size(), count);
    for (int i = 0; i < count; ++i) b.states.as<int32_t>(i) = i < right * count;
    return b;
  }
  std::unique_ptr<Pomdp> model;
  Fnc fnc;
  std::vector<double> values;  // [node][state], exact
};

// max over nodes for each observation, on the table.
double exact_q(const Tabular& t, const std::vector<double>& values, int nodes,
               std::span<const double> b, int a) {
  double q = 0;
  for (int s = 0; s < t.num_states; ++s) q += b[s] * t.reward[a][s];
  std::vector<double> sums(size_t(t.num_observations) * nodes);
  for (int s = 0; s < t.num_states; ++s)
    for (const auto& next : t.transition[a].row(s))
      for (const auto& seen : t.observation[a].row(next.column))
        for (int n = 0; n < nodes; ++n)
          sums[seen.column * nodes + n] +=
              b[s] * next.value * seen.value * values[n * t.num_states + next.column];
  for (int o = 0; o < t.num_observations; ++o)
    q += t.discount * *std::max_element(&sums[o * nodes], &sums[o * nodes] + nodes);
  return q;
}

TEST(NeuralBackup, QValuesAgreeWithTheTable) {
  BlindTiger tiger;
  ThreadPool pool(2);
  Work work;
  const Tabular table = tiger.model->table();
  for (const double right : {0.5, 0.2, 0.97}) {
    const BackupValues v = backup_values(*tiger.model, tiger.fnc, tiger.belief(right, 40'000),
                                         RngKey::from_seed(2), pool, work);
    const double b[] = {1 - right, right};
    for (int a = 0; a < 3; ++a)
      EXPECT_NEAR(v.q[a], exact_q(table, tiger.values, 3, b, a), 1.0) << right << ' ' << a;
  }
}

TEST(NeuralBackup, UnseenObservationsGoToTheBestNodeOverall) {
  BlindTiger tiger;
  const auto model = load_domain("tiger(accuracy=1)");
  ThreadPool pool(1);
  Work work;
  const BackupValues v =
      backup_values(*model, tiger.fnc, tiger.belief(1, 100), RngKey::from_seed(2), pool, work);
  EXPECT_EQ(v.best_nodes[0], v.best_nodes[1]);  // only hear-right was produced by listening
}

TEST(NeuralBackup, FindNodeComparesActionAndEdges) {
  Fsc fsc;
  fsc.num_observations = 2;
  fsc.add_node(1);
  fsc.add_node(1, 0);
  EXPECT_EQ(fsc.find(1, std::vector<int>{0, 0}), 0);
  EXPECT_EQ(fsc.find(0, std::vector<int>{0, 0}), -1);
  EXPECT_EQ(fsc.find(1, std::vector<int>{0, 1}), -1);
}

TEST(NeuralBackup, ANodeEntersOnlyOnce) {
  const auto model = load_domain("tiger");
  ThreadPool pool(2);
  Work work;
  Fnc fnc;
  fnc.networks = nn::make_bank(model->features(), {}, RngKey::from_seed(1));
  NeuralBackupOptions options{.num_particles = 4000, .num_samples = 100};
  NeuralBackup backup(*model, options, *fnc.networks, RngKey::from_seed(1), pool, work);
  Particles b0(model->state_size(), 4000);
  model->sample_initial({RngKey::from_seed(4)}, b0.states);
  const NeuralBackupResult first = backup.run(fnc, b0, RngKey::from_seed(5));
  EXPECT_TRUE(first.is_new);
  EXPECT_EQ(fnc.fsc.action[0], 0);  // an empty controller: the best immediate reward
  EXPECT_EQ(fnc.fsc.next(0, 0), 0);
  const NeuralBackupResult again = backup.run(fnc, b0, RngKey::from_seed(5));
  EXPECT_EQ(again.node, 0);
  EXPECT_FALSE(again.is_new);
  EXPECT_EQ(fnc.networks->size(), 1);
}

TEST(GenData, EmptyControllerRepeatsTheAction) {
  const auto model = load_domain("tiger");
  ThreadPool pool(2);
  Work work;
  Fnc empty;
  RecordBuffer states(model->state_size(), 2);
  states.as<int32_t>(1) = 1;
  const std::vector<float> y =
      make_training_set(*model, empty, {0, {0, 0}}, states, {}, RngKey::from_seed(1), pool, work);
  for (float v : y) EXPECT_NEAR(v, -20, 0.01);  // listening for ever
}

TEST(GenData, BothTargetsAgreeWithTheTable) {
  BlindTiger tiger;
  ThreadPool pool(2);
  Work work;
  Fsc extended = tiger.fnc.fsc;
  extended.add_node(0, 0);
  extended.set_edge(3, 1, 1);
  const std::vector<double> exact = fsc_values(extended, tiger.model->table());
  RecordBuffer states(tiger.model->state_size(), 2);
  states.as<int32_t>(1) = 1;
  for (const Targets targets : {Targets::kBootstrap, Targets::kRollout}) {
    const std::vector<float> y = make_training_set(*tiger.model, tiger.fnc, {0, {0, 1}}, states,
                                                   {.num_sims = 20'000, .targets = targets},
                                                   RngKey::from_seed(1), pool, work);
    for (int s = 0; s < 2; ++s) EXPECT_NEAR(y[s], exact[3 * 2 + s], 4) << int(targets);
  }
}

TEST(GenData, SampledStatesAreDistinctAndNotTerminal) {
  const auto model = load_domain("rock-sample(n=4,k=4)");
  ThreadPool pool(2);
  Work work;
  const RecordBuffer states = sample_states(*model, 200, 60, RngKey::from_seed(1), pool, work);
  ASSERT_EQ(states.count(), 200u);
  RecordSet seen(model->state_size());
  for (size_t i = 0; i < states.count(); ++i) seen.insert(states.at(i));
  EXPECT_EQ(seen.count(), 200);
  std::vector<uint8_t> ended(200);
  model->is_terminal(states, ended);
  EXPECT_EQ(std::count(ended.begin(), ended.end(), 1), 0);
  // No more than the tiger has.
  EXPECT_EQ(sample_states(*load_domain("tiger"), 50, 10, RngKey::from_seed(1), pool, work).count(),
            2u);
}

TEST(NeuralBackup, DoesNotDependOnTheNumberOfThreads) {
  const auto model = load_domain("rock-sample(n=3,k=2)");
  for (const Targets targets : {Targets::kBootstrap, Targets::kRollout}) {
    nn::Bytes bytes;
    for (const int threads : {1, 2, 3}) {
      ThreadPool pool(threads);
      Work work;
      Fnc fnc;
      fnc.networks = nn::make_bank(model->features(), {.features = 32}, RngKey::from_seed(1));
      NeuralBackupOptions options{.num_particles = 3000, .num_samples = 500, .local_samples = 50};
      options.data.num_sims = 20;
      options.data.targets = targets;
      NeuralBackup backup(*model, options, *fnc.networks, RngKey::from_seed(1), pool, work);
      Particles b0(model->state_size(), 3000);
      model->sample_initial({RngKey::from_seed(4)}, b0.states);
      for (uint64_t i = 0; i < 4; ++i) backup.run(fnc, b0, RngKey::from_seed(i));
      if (threads == 1) bytes = fnc.networks->save();
      EXPECT_EQ(fnc.networks->save(), bytes);
    }
  }
}

}  // namespace
}  // namespace penumbra::nvi
