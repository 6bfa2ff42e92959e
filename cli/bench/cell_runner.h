// Runs the cells of a bench that are not done, one or several at a time.
#pragma once

#include <string>
#include <vector>

#include "cli/bench/bench_folder.h"

namespace penumbra::cli {

struct RunnerOptions {
  int jobs = 1;                              // cells at a time, each on processors of its own
  int shard = 0, shards = 1;                 // only cells whose number is `shard` modulo `shards`
  std::vector<std::string> models, solvers;  // only cells of these names; empty: all
  double seconds = 0;                        // no cell is begun after this; 0: never
  bool quiet = false;
};

struct RunnerTotals {
  int done = 0, failed = 0, left = 0;
  bool interrupted = false;
};

// The cells of the experiment that the options ask for, done or not. Throws Error for a name that
// is not known.
std::vector<const Cell*> cells_asked_for(const Experiment& e, const RunnerOptions& options);

// An interruption ends the running cells with a checkpoint, from which the next call goes on.
// Throws Error where the cells ask for more processors than there are.
RunnerTotals run_cells(const BenchFolder& folder, const RunnerOptions& options);

}  // namespace penumbra::cli
