#include "penumbra/runs/run_checkpoints.h"

#include <fmt/format.h>

#include "penumbra/base/error.h"
#include "penumbra/model/fingerprint.h"
#include "penumbra/runs/solve_options.h"
#include "penumbra/runs/version.h"

namespace penumbra {
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

RunCheckpoints::RunCheckpoints(RunFolder& run, CheckpointHeader header, double interval,
                               const CommonOptions& common)
    : run_(run),
      header_(std::move(header)),
      files_(run.path()),
      interval_(interval),
      common_(common),
      next_(Clock::now() + seconds(interval)) {
  header_.program = program_version();
}

bool RunCheckpoints::find(const Pomdp& model, const ConfigTable& config) {
  std::string damaged;
  const auto newest = files_.newest(&damaged);
  if (!damaged.empty()) {
    common_.warning(damaged + "; going on from the one before");
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
  const bool asked = common_.checkpoint_asked && common_.checkpoint_asked();
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
  if (!common_.quiet)
    common_.warning(fmt::format("no checkpoint: {}; the one before stays", problem));
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

}  // namespace penumbra
