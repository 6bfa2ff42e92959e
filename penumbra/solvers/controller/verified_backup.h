// The Bellman backup at a belief, by simulation on the belief's own particles. Algorithm 3 of the
// paper maximises over networks; here networks only propose successors, and every choice is made
// on one set of particles and judged on a fresh one, so that no error is ever maximised over.
//
//   choose   every action is simulated; each (action, observation) takes the best of a few
//            candidate successors by rollouts through the controller
//   check    the actions, with those successors, on fresh particles: the best few stay
//   refine   where actions are a box: others around the best, with its successors, closer each time
//   score    these and the best existing nodes on fresh particles again, paired: a new node is
//            made only if it beats all that exists
#pragma once

#include <span>
#include <vector>

#include "penumbra/model/action_stock.h"
#include "penumbra/policy/rollouts.h"
#include "penumbra/solvers/controller/candidates.h"
#include "penumbra/solvers/work.h"

namespace penumbra::controller {

struct BackupOptions {
  int choose = 128;           // particles to choose successors on, at least
  int choose_per_seen = 12;   // and at least this many for each observation,
  int choose_most = 1536;     // where that is not more than this
  int check = 128;            // fresh particles to rank actions on
  int score = 512;            // fresh particles for the paired comparison
  int finalists = 3;          // candidates that go on after a quarter of the particles
  int checked_actions = 8;    // actions that reach the check
  int scored_actions = 2;     // actions that reach the score
  int training_states = 256;  // particles kept to fit the new node's network
  int refine = 8;             // of a box of actions: drawn around the best one, per generation
  // With so many observations particles are weighed by likelihood. With more of them a particle
  // speaks only for what it caused: what is rare goes where the current node sends it.
  int weigh_from = 5, weigh_to = 128;

  int choosing(int num_observations) const {
    return std::max(choose, std::min(choose_most, choose_per_seen * num_observations));
  }
  int particles(int num_observations) const { return choosing(num_observations) + check + score; }
};

// A successor that is known to be good: after `action` and `seen`, go to `node`.
struct Hint {
  int action = -1, seen = -1, node = -1;
};

struct BackupResult {
  int node = -1;           // the best node for the belief, new or old
  bool is_new = false;     // it was appended to the controller
  double value = 0;        // its estimated value at the belief
  double gain = 0;         // over `current`
  double gain_error = 0;   // its standard error
  TrainingSet training{};  // of a new node
};

class VerifiedBackup {
 public:
  // `stock`: the model, where it is a view of a box of actions that backups may add to.
  VerifiedBackup(const Pomdp& model, const BackupOptions& options, const Candidates& candidates,
                 Rollouts& rollouts, ActionStock* stock = nullptr);

  // `states`: options.particles() draws from the belief, in random order. `current`: the node that
  // the controller executes here, or -1. A new node must gain more than `z` standard errors.
  BackupResult run(Fsc& fsc, ConstRecords states, int current, std::span<const int> actions,
                   const Hint& hint, double z, RngKey key);
  // Only the best existing node: no new one is tried.
  BackupResult best_existing(const Fsc& fsc, ConstRecords states, int current, RngKey key);

  // A node that later backups may lead to although it has no network yet.
  void add_recent(int node, ConstRecords states) {
    recent_.push_back({node, candidates_.origin(states)});
  }

  // Without the rollouts, which count themselves.
  const Work& work() const { return work_; }

 private:
  struct Ranking;  // candidates and how they do
  struct Branch;   // one action and its successors
  struct Scores;

  void simulate(Branch& branch, ConstRecords states, RngKey key);
  void propose(const Fsc& fsc, ConstRecords states, int current, const Hint& hint,
               std::vector<Branch>& branches, std::vector<int>& existing, RngKey key);
  bool weighted() const;
  void weigh(Branch& branch, int observations);
  void race(const Fsc& fsc, ConstRecords states, size_t begin, size_t end,
            std::vector<Branch>& branches, Ranking& existing, RngKey key);
  void choose(const Fsc& fsc, ConstRecords states, int current, std::vector<Branch>& branches,
              std::vector<int>& existing_nodes, RngKey key);
  Scores score(const Fsc& fsc, ConstRecords states, std::vector<Branch>& branches,
               std::span<const int> existing, RngKey key);

  // The best action found around that of `best`, with the same successors.
  Branch refined(const Fsc& fsc, ConstRecords states, const Branch& best, RngKey key);

  const Pomdp& model_;
  ActionStock* stock_;
  BackupOptions options_;
  const Candidates& candidates_;
  Rollouts& rollouts_;
  std::vector<RecentNode> recent_;
  RolloutSet wanted_;
  StepBuffers buffers_;
  Work work_;
};

}  // namespace penumbra::controller
