// What every solver takes and gives. The caller owns the budget; a solver asks when it may stop,
// reports through a callback, and never prints. Running out of anything is a status. A solver is
// written as rounds in the one frame that they all share (solvers/anytime.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "penumbra/base/options.h"
#include "penumbra/base/thread_pool.h"
#include "penumbra/bounds/upper_value.h"
#include "penumbra/evaluate/score.h"
#include "penumbra/model/pomdp.h"
#include "penumbra/policy/form.h"
#include "penumbra/solvers/work.h"

namespace penumbra {

class Checkpoints;  // solvers/checkpoints.h

// Zero means no limit of that kind. The clock only decides when to stop; a run limited by backups
// is repeatable byte for byte. All count from the beginning of the run, however often it was
// resumed.
struct Limits {
  double seconds = 60;
  uint64_t backups = 0;
  int nodes = 0;
  double gap = 0;     // upper minus simulated value (or proven lower bound) at b0
  double memory = 0;  // bytes of the whole process
  // Asked often, and from several threads at once: it must be cheap and safe for that.
  std::function<bool()> cancelled{};
  Checkpoints* checkpoints = nullptr;  // none: the solve cannot be resumed
};

// One line of a solve's log.
struct SolveProgress {
  double seconds = 0;
  uint64_t backups = 0;
  int nodes = 0;
  double estimate = 0;   // what the solver believes of b0: not a bound
  Estimate simulated{};  // of the policy, by simulation
  UpperValue upper{};
  double simulator_steps = 0;  // so far
  double network_evaluations = 0;
  double memory = 0;          // bytes
  double lower = 0;           // of b0; only where lower_proven
  bool lower_proven = false;  // the solver proves both bounds and does not simulate
  // Mean squared error of the networks fitted since the last report, on states held out; negative:
  // none were.
  double training_error = -1;
};

struct Solution {
  std::string status;  // "time", "backups", "nodes", "gap", "memory", "converged", "cancelled"
  double seconds = 0;
  uint64_t backups = 0;
  double estimate = 0;
  UpperValue upper{};
  double lower = 0;
  bool lower_proven = false;
  Work work{};
  PolicyData policy{};  // in the form that Solver::makes() says
};

class Solver {
 public:
  virtual ~Solver() = default;
  virtual OptionList options() = 0;
  // Both may depend on the options that have been set.
  virtual Capabilities needs() const = 0;
  virtual PolicyForm makes() const = 0;
  using Report = std::function<void(const SolveProgress&)>;
  virtual Solution solve(const Pomdp& model, const Limits& limits, uint64_t seed, ThreadPool& pool,
                         const Report& report) = 0;
};

}  // namespace penumbra
