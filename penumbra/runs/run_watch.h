// A run seen from another process, through its folder: the log as it grows, and whether somebody
// still works on it. It writes nothing.
#pragma once

#include <string>

#include "penumbra/runs/run_state.h"

namespace penumbra {

class RunWatch {
 public:
  explicit RunWatch(std::string folder);

  // Reads what is new; true: something was. Throws Error, in words, for what is no run of a solve.
  // A folder that is not there, or empty, is a run that has not begun.
  bool look();
  const RunState& state() const { return state_; }
  bool over() const { return state_.phase == RunPhase::kEnded || state_.phase == RunPhase::kLost; }
  // Of the run up to now: by the clock, as long as it goes on.
  double seconds() const;

 private:
  bool begun();
  bool read_log();
  bool read_line(const std::string& text);

  std::string folder_;
  RunState state_;
  uint64_t at_ = 0;   // bytes of the log that were read
  std::string part_;  // of a line that is not whole yet
  double heard_ = 0;  // time of day of the last line
  bool begun_ = false;
};

}  // namespace penumbra
