// NeuralBackUp, Algorithm 3 of the paper: one Bellman backup of the finite network controller at a
// belief. Simulate every action from every particle, let all networks value all next states, take
// the best node for each (action, observation) and the best action; a node that is new gets a
// network of its own, trained on states sampled from the environment.
#pragma once

#include <span>
#include <vector>

#include "penumbra/policy/fnc.h"
#include "penumbra/solvers/nvi/gen_data.h"
#include "penumbra/solvers/nvi/pool_outcomes.h"
#include "penumbra/solvers/nvi/value_table.h"

namespace penumbra::nvi {

// Q values of a belief from one simulation of every (particle, action).
struct BackupValues {
  std::vector<double> q;        // V_a
  std::vector<int> best_nodes;  // n*_{a,o}, row-major [action][observation]
};

// Alg. 3, lines 2-14. Equal next states are valued once, over all actions. `draws` has equal
// weights. An observation that no particle produced gets the node that is best for the action's
// next states taken together. With an empty controller V_a is the mean reward, and every edge
// leads to node 0: the one that is about to be made. Values are kept in the table of the
// controller's networks, if there is one. Throws Stopped.
BackupValues backup_values(const Pomdp& model, const Fnc& fnc, const Particles& draws, RngKey key,
                           ThreadPool& pool, Work& work, ValueTable* table = nullptr,
                           const Stop& stop = {});

struct NeuralBackupOptions {
  int num_particles = 10'000;  // nb_particle
  int num_samples = 10'000;    // nb_sample
  int sample_depth = 100;      // longest random episode that states are sampled from
  bool warm_start = true;      // networks are trained from the nearest one that is there
  int local_samples = 0;       // of the belief's own particles to train on as well; the paper: 0
  GenDataOptions data{};
};

struct NeuralBackupResult {
  double value = 0;  // V*
  int node = -1;     // n', or the equal one that was there; -1: its network could not be trained
  bool is_new = false;
  std::vector<double> q;
  nn::FitReport fit{};  // of a new node
};

class NeuralBackup {
 public:
  // Samples the training states and gives them to the bank: they are reused by every backup.
  NeuralBackup(const Pomdp& model, const NeuralBackupOptions& options, nn::ValueBank& bank,
               RngKey key, ThreadPool& pool, Work& work);

  // Backs up the controller, whose networks are the bank, at the belief. Throws Stopped, and has
  // changed nothing then.
  NeuralBackupResult run(Fnc& fnc, const Particles& belief, RngKey key, const Stop& stop = {});
  // b . alpha of every function from `first` on, in their order; zeros before.
  std::vector<double> values(const Particles& belief, int first, const Stop& stop = {});

  const RecordBuffer& states() const { return states_; }

 private:
  int nearest(const nn::ValueBank& bank, std::span<const float> targets);
  std::vector<float> targets(const Fnc& fnc, const NewNode& node, ConstRecords own, RngKey key,
                             const Stop& stop);
  nn::FitReport train(Fnc& fnc, const NewNode& node, const Particles& belief, RngKey key,
                      const Stop& stop);

  const Pomdp& model_;
  NeuralBackupOptions options_;
  ThreadPool& pool_;
  Work& work_;
  RecordBuffer states_;    // X, distinct
  PoolOutcomes outcomes_;  // of states_
  ValueTable table_;       // of the bank
  int pool_rows_ = 0;      // states_, repeated where there are few
  std::vector<int> probe_rows_;
  FeatureBatch probes_;                           // some of states_
  std::vector<std::vector<float>> probe_values_;  // per function
};

}  // namespace penumbra::nvi
