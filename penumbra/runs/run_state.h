// What is known of a solve under way, for whoever shows it: the process that solves feeds it with
// its reports, any other with the lines of the run's log (runs/run_watch.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "penumbra/runs/config.h"
#include "penumbra/runs/json.h"
#include "penumbra/solvers/solver.h"

namespace penumbra {

enum class RunPhase {
  kWaiting,    // it has not begun
  kSettingUp,  // no report yet
  kSolving,
  kScoring,
  kEnded,
  kLost,  // it neither ended nor does a process work on it
};

// "waiting", "setting up", "solving", "scoring", "ended", "stopped"
const char* name_of(RunPhase phase);

// When a run began to play the policy that it would give now.
struct Accepted {
  SolveProgress line;
  double gain = 0;  // over the one before; of the first one 0
  bool first = true;
  int tries_since = 0;  // reports that were not better
};

class RunState {
 public:
  std::string domain, solver;
  Limits limits{.seconds = 0};
  RunPhase phase = RunPhase::kWaiting;
  std::string status;             // why it ended
  std::optional<Estimate> score;  // the final one
  double seconds = 0;             // of the run, when it was last heard of

  // What was done again after a resume counts once.
  void add(const SolveProgress& line);
  // One line of a run's log; others than those of a solve are ignored.
  void read(const Json& line);

  const std::vector<SolveProgress>& lines() const { return lines_; }
  const std::optional<Accepted>& accepted() const { return accepted_; }

 private:
  void accept(const SolveProgress& line);

  std::vector<SolveProgress> lines_;
  std::optional<Accepted> accepted_;
};

// Whether a line says what the policy is worth: by simulation or by proof.
bool has_value(const SolveProgress& line);
double value_of(const SolveProgress& line);

// Those of the options of a solve.
Limits limits_of(const ConfigTable& solve);

}  // namespace penumbra
