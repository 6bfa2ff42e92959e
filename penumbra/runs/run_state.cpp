#include "penumbra/runs/run_state.h"

#include "penumbra/base/error.h"
#include "penumbra/runs/json_fields.h"
#include "penumbra/runs/run_folder.h"
#include "penumbra/runs/solve_options.h"

namespace penumbra {

const char* name_of(RunPhase phase) {
  switch (phase) {
    case RunPhase::kWaiting:
      return "waiting";
    case RunPhase::kSettingUp:
      return "setting up";
    case RunPhase::kSolving:
      return "solving";
    case RunPhase::kScoring:
      return "scoring";
    case RunPhase::kEnded:
      return "ended";
    case RunPhase::kLost:
      return "stopped";
  }
  return "";
}

bool has_value(const SolveProgress& line) {
  return line.lower_proven || line.simulated.count > 0;
}

double value_of(const SolveProgress& line) {
  return line.lower_proven ? line.lower : line.simulated.mean;
}

void RunState::add(const SolveProgress& line) {
  const size_t before = lines_.size();
  while (!lines_.empty() && lines_.back().backups > line.backups) lines_.pop_back();
  if (lines_.size() < before) {
    accepted_.reset();
    for (const SolveProgress& kept : lines_) accept(kept);
  }
  lines_.push_back(line);
  accept(line);
  seconds = line.seconds;
  phase = RunPhase::kSolving;
}

// As solvers keep their best policy (solvers/best_so_far.h): a score of fewer episodes never takes
// the place of one of more.
void RunState::accept(const SolveProgress& line) {
  if (!has_value(line)) return;
  if (!accepted_) {
    accepted_.emplace(Accepted{line});
    return;
  }
  const double gain = value_of(line) - value_of(accepted_->line);
  if (gain > 0 && line.simulated.count >= accepted_->line.simulated.count)
    accepted_ = Accepted{line, gain, false, 0};
  else
    ++accepted_->tries_since;
}

void RunState::read(const Json& line) {
  const std::string event = text_in(line, "event");
  if (event == "start") {
    domain = text_in(line, "domain");
    solver = text_in(line, "solver");
    phase = RunPhase::kSettingUp;
  } else if (event == "resume") {
    phase = RunPhase::kSettingUp;
    status.clear();
    score.reset();
  } else if (event == "progress") {
    add(read_progress(line));
  } else if (event == "scoring") {
    phase = RunPhase::kScoring;
    seconds = number_in(line, "seconds", seconds);
  } else if (event == "end") {
    phase = RunPhase::kEnded;
    status = text_in(line, "status");
    seconds = number_in(line, "seconds", seconds);
    if (const Json* found = line.contains("score") ? &line["score"] : nullptr; found) {
      const double mean = number_in(*found, "mean");
      if (mean == mean) score = read_estimate(*found, mean);
    }
  }
}

Limits limits_of(const ConfigTable& solve) {
  SolveOptions o;
  OptionRecord options;
  declare_solve_options(options, o);
  for (const auto& [key, value] : solve)
    for (const char* limit : {"time", "backups", "nodes", "gap", "memory"})
      if (key == limit) options.set(key, value);
  return read_limits(o);
}

}  // namespace penumbra
