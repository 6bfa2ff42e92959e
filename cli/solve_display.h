// How a solve goes, on stderr: a living block on a terminal, a plain line for each report
// otherwise, nothing when quiet.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "cli/live_block.h"
#include "penumbra/runs/run_state.h"
#include "penumbra/runs/solve_options.h"

namespace penumbra::cli {

class SolveDisplay {
 public:
  // While it lives, what the job tells and warns of stands above the block. `o` outlives it.
  SolveDisplay(SolveOptions& o, const std::string& domain);
  ~SolveDisplay() { finish(); }
  SolveDisplay(const SolveDisplay&) = delete;
  SolveDisplay& operator=(const SolveDisplay&) = delete;

  void report(const SolveProgress& line);
  void scoring();
  // Takes the block away, so that results stand alone.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  void know_the_past(const std::string& run);
  void print_above(const std::string& line);
  void draw();
  void keep_drawing();

  SolveOptions& o_;
  CommonOptions told_before_;
  bool live_;
  LiveBlock block_;
  // Of both threads:
  std::mutex mutex_;
  RunState state_;
  Clock::time_point heard_;
  bool over_ = false;
  std::condition_variable wake_;
  std::thread drawer_;
};

}  // namespace penumbra::cli
