// The frame that every solver shares: clock, limits, evaluations, log lines, checkpoints and the
// end. A solver is its rounds and nothing else:
//
//   Solution MySolver::solve(model, limits, seed, pool, report) {
//     Anytime frame(limits, report, pool, {.first = 100});
//     MyRounds rounds(model, options_, frame, seed, pool);   // setting up counts, too
//     return frame.run(rounds);
//   }
//
// examples/own_solver.cpp is one, and docs/write-a-solver.md walks through it.
//
// Where the pool has a team (base/team.h) all ranks do the same rounds, sharing out what they can,
// and rank 0's clock decides at the end of each. A round that was stopped within is rank 0's alone:
// the others leave. Rank 0 alone saves; what it resumes from is sent to all.
#pragma once

#include <atomic>
#include <chrono>
#include <cmath>
#include <string>

#include "penumbra/base/archive.h"
#include "penumbra/base/stop.h"
#include "penumbra/base/team.h"
#include "penumbra/solvers/checkpoints.h"
#include "penumbra/solvers/solver.h"

namespace penumbra {

// Where a solve stands, as its limits see it.
struct Standing {
  int nodes = 0;
  double gap = HUGE_VAL;  // infinite: nothing to compare with yet
  bool converged = false;
  bool judge = false;  // evaluate now, whatever the schedule says
  double bytes = 0;    // of the policy, where writing it takes time
};

class Rounds {
 public:
  virtual ~Rounds() = default;

  // The state that rounds begin with. Not called when a run is resumed: archive() is.
  virtual void start() = 0;
  // One round, with random numbers that are functions of (seed, round). It asks `stop` now and
  // then; false: it was stopped. Then the state is one from which a resumed run does the rest or
  // the whole of the round again.
  virtual bool round(const Stop& stop) = 0;
  // After the last checkpoint: what a round that was stopped is good for all the same.
  virtual void keep_stopped_round() {}
  virtual uint64_t backups() const = 0;  // so far; asked often, within rounds too
  virtual Standing standing() const = 0;
  // Judges the policy as it is now, remembers it if it is the best so far, and fills in the line.
  virtual void evaluate(SolveProgress& line, const Stop& stop) = 0;
  // What has been used so far.
  virtual const Work& work() const = 0;
  // Policy, estimate and bounds; the rest is filled in.
  virtual void finish(Solution& solution) = 0;

  // Everything that rounds change and later rounds depend on (base/archive.h).
  virtual void archive(Saver& saver) = 0;
  virtual void archive(Loader& loader) = 0;
};

struct AnytimeOptions {
  // Evaluations: before the first round if `at_start`; then after `first` backups, and each time
  // they have grown by `growth` (below `early` of them by `early_growth`).
  uint64_t first = 64;
  double growth = 1.25;
  uint64_t early = 0;
  double early_growth = 2;
  bool at_start = true;
  // Log lines by the clock instead: where an evaluation costs nothing and changes nothing.
  bool by_clock = false;
  // A round under way may go on beyond the time limit: this many seconds, or this share of it.
  double slack = 0.5;
  double slack_share = 0.005;
  // Rounds end at a limit of backups or memory, too; otherwise these are looked at between rounds.
  bool stop_within_rounds = false;
  double memory_share = 1;  // of the limit of memory that ends the solve
};

class Anytime {
 public:
  // The clock starts here. Everything given outlives it; `report` may be empty.
  Anytime(const Limits& limits, const Solver::Report& report, ThreadPool& pool,
          const AnytimeOptions& options);

  Solution run(Rounds& rounds);
  // For solvers whose setting up can be stopped (base/stop.h): the best blind policy, with the
  // limit that was reached.
  Solution stopped_at_start(const Pomdp& model) const;

  const Limits& limits() const { return limits_; }
  double seconds() const;  // since the beginning of the run, however often it was resumed
  // For work that is under way; from any thread, and as long as the frame lives. While solvers are
  // set up only rank 0 is stopped.
  bool out_of_time() const;
  Stop stop() const {
    return [this] { return (running_ || pool_.team().leads()) && out_of_time(); };
  }

 private:
  struct Verdict;
  Verdict verdict(const Rounds& rounds) const;
  [[noreturn]] void wait_for_the_end() const;
  bool resume(Rounds& rounds);
  std::string reached_limit(const Rounds& rounds) const;
  double slack() const;
  double last_round_at() const;
  bool out_of_memory() const;
  bool evaluation_due(const Rounds& rounds) const;
  void evaluate(Rounds& rounds);
  template <class Archive>
  void archive(Archive& a, Rounds& rounds);
  bool checkpoint_due() const;
  void save(Rounds& rounds);

  const Limits& limits_;
  const Solver::Report& report_;
  ThreadPool& pool_;
  const AnytimeOptions options_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::atomic<bool> running_ = false;
  double before_ = 0;  // seconds of the run before it was resumed
  bool evaluated_ = false;
  uint64_t evaluated_at_ = 0, next_evaluation_;  // backups
  double next_line_ = 0.05;                      // seconds
  double evaluation_ = 0;                        // seconds that the last evaluation took
  double saving_ = 0, saved_at_ = 0;             // the same of the last checkpoint, and its second
  double bytes_ = 0;                             // of the policy
};

}  // namespace penumbra
