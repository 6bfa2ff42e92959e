// Value iteration as the paper prints it (Algorithm 2): collect beliefs by bounds, back up the
// controller at each of them, until V(b0) has converged. The backup is exchangeable: neural (nvi)
// or Monte Carlo (mcvi).
//
// Needs finite actions and observations; a likelihood is used where there is one.
// V(b0), the `estimate`, is what the backups claim, and maximising over nodes over-claims: the
// simulated value is the one to trust, and the controller returned is the best one by it. The
// upper value is sampled, hence never reported as proven.
// Paper: Neural Value Iteration, Algorithms 2 and 3 and the appendix's CollectBeliefs.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "penumbra/base/options.h"
#include "penumbra/bounds/mdp_value.h"
#include "penumbra/solvers/solver.h"
#include "penumbra/solvers/value_iteration/backup.h"

namespace penumbra::value_iteration {

// The paper's parameters, where it gives them.
struct LoopOptions {
  int num_particles = 10'000;   // nb_particle
  int max_depth = 50;           // L; not given in the paper
  double epsilon = 0.01;        // epsilon; not given in the paper
  int bound_particles = 2'000;  // particles for the upper and lower value of a tree node
  bool use_likelihood = true;   // false: beliefs by rejection alone
  // Departures. "preset": what the preset has; the first that is named here is as printed.
  std::string bounds = "preset";  // upper Q of an action never taken: qmdp | look-ahead
  std::string walk = "preset";    // by the bounds | by the policy, then by the bounds
  double leave = 0.1;             // policy walks: chance per step to turn to the bounds
  std::string order = "preset";   // of the backups along a walk: forward | reverse
  double tolerance = 0.01;        // V(b0) has converged when it changed by less than this
  // Over so many iterations; 0: over L of them. A forward backup carries a value one step along a
  // walk per iteration, so that V(b0) may well stand still for as long.
  int patience = 0;
  int start_candidates = 1;  // n0: the best by simulation among so many best at b0
  int evaluate_every = 20;   // backups between simulated values, beside each iteration's
  int episodes = 10'000;     // of a simulated value

  void list_loop(OptionList& list);
};

// Makes the backup with the loop's random streams; it counts its work, and asks when to stop.
using MakeBackup = std::function<std::unique_ptr<Backup>(RngKey key, Work& work)>;

// `name`: of the random streams.
Solution run_loop(const Pomdp& model, const LoopOptions& options, const std::string& name,
                  const MakeBackup& make_backup, const MdpValue& mdp, const Limits& limits,
                  uint64_t seed, ThreadPool& pool, const Solver::Report& report);

}  // namespace penumbra::value_iteration
