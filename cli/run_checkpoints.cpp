#include "cli/run_checkpoints.h"

#include <fmt/format.h>

#include "cli/interrupt.h"
#include "cli/solve_options.h"
#include "cli/version.h"
#include "penumbra/base/error.h"
#include "penumbra/model/fingerprint.h"

namespace penumbra::cli {
namespace {

constexpr double kLeastRatio = 50;  // of solving to saving

std::chrono::steady_clock::duration seconds(double s) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(s));
}

}  // namespace

void check_same_build(const std::string& run_folder) {
  std::string damaged;  // told when it is read
  const auto newest = CheckpointPair(run_folder).newest(&damaged);
  if (newest && newest->program != program_version())
    throw Error(fmt::format(
        "the run was saved by {}, this is {}: it may not go on as it began; resume it with that "
        "build, or give --other-build to go on all the same",
        newest->program, program_version()));
}

RunCheckpoints::RunCheckpoints(RunFolder& run, CheckpointHeader header, double interval, bool quiet)
    : run_(run),
      header_(std::move(header)),
      files_(run.path()),
      interval_(interval),
      quiet_(quiet),
      next_(Clock::now() + seconds(interval)) {
  header_.program = program_version();
}

bool RunCheckpoints::find(const Pomdp& model, const ConfigTable& config) {
  std::string damaged;
  const auto newest = files_.newest(&damaged);
  if (!damaged.empty()) {
    fmt::print(stderr, "penumbra: warning: {}; going on from the one before\n", damaged);
    run_.log("damaged checkpoint", {{"problem", damaged}});
  }
  if (!newest) return false;
  check_same_problem(parse_config(newest->configuration, "the checkpoint")["solve"], config);
  if (!same_fingerprint(newest->fingerprint, fingerprint(model)))
    throw Error(fmt::format(
        "{} is not the same problem as when the run began: its model file or the program changed",
        newest->domain));
  return found_ = true;
}

bool RunCheckpoints::due() {
  const bool asked = take_checkpoint_request();
  return asked || (interval_ > 0 && Clock::now() >= next_);
}

void RunCheckpoints::save(const std::function<void(Saver&)>& write) {
  const auto start = Clock::now();
  std::string problem;
  try {
    files_.write(header_, write);
    ++written_;
  } catch (const Error& error) {
    problem = error.what();
    ++failed_;
  }
  const double took = std::chrono::duration<double>(Clock::now() - start).count();
  seconds_ += took;
  next_ = Clock::now() + seconds(std::max(interval_, kLeastRatio * took));
  if (problem.empty()) {
    run_.log("checkpoint",
             {{"number", header_.number}, {"bytes", files_.bytes_written()}, {"took", took}});
    return;
  }
  run_.log("checkpoint failed", {{"problem", problem}});
  if (!quiet_)
    fmt::print(stderr, "penumbra: warning: no checkpoint: {}; the one before stays\n", problem);
}

bool RunCheckpoints::resume(const std::function<void(Loader&)>& read) {
  if (found_) files_.read_state(read);
  return found_;
}

Json RunCheckpoints::summary() const {
  return {{"written", written_},
          {"failed", failed_},
          {"bytes", files_.bytes_written()},
          {"seconds", seconds_}};
}

}  // namespace penumbra::cli
