// NeuralBackUp, Algorithm 3 of the paper: one Bellman backup of the finite network controller at a
// belief. Simulate every action from every particle, let all networks value all next states, take
// the best node for each (action, observation) and the best action; a node that is new gets a
// network of its own, trained on states sampled from the environment.
#pragma once

#include <span>
#include <vector>

#include "penumbra/policy/fnc.h"
#include "penumbra/solvers/nvi/gen_data.h"

namespace penumbra::nvi {

// Q values of a belief from one simulation of every (particle, action).
struct BackupValues {
  std::vector<double> q;        // V_a
  std::vector<int> best_nodes;  // n*_{a,o}, row-major [action][observation]
};

// Alg. 3, lines 2-14. Equal next states are valued once, over all actions. `draws` has equal
// weights. An observation that no particle produced gets the node that is best for the action's
// next states taken together. With an empty controller V_a is the mean reward, and every edge
// leads to node 0: the one that is about to be made.
BackupValues backup_values(const Pomdp& model, const Fnc& fnc, const Particles& draws, RngKey key,
                           ThreadPool& pool, Work& work);

struct NeuralBackupOptions {
  int num_particles = 10'000;  // nb_particle
  int num_samples = 10'000;    // nb_sample
  int sample_depth = 100;      // longest random episode that states are sampled from
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

  // Backs up the controller, whose networks are the bank, at the belief.
  NeuralBackupResult run(Fnc& fnc, const Particles& belief, RngKey key);

  const RecordBuffer& states() const { return states_; }

 private:
  nn::FitReport train(Fnc& fnc, const NewNode& node, const Particles& belief, RngKey key);

  const Pomdp& model_;
  NeuralBackupOptions options_;
  ThreadPool& pool_;
  Work& work_;
  RecordBuffer states_;  // X, distinct
  int pool_rows_ = 0;    // states_, repeated where there are few
};

}  // namespace penumbra::nvi
