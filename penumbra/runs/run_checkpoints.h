// The checkpoints of a run: when they are due, and the files they go to. Between two of them there
// is at least fifty times what the last one took, so that they cost less than 2 % of the solve.
#pragma once

#include <chrono>

#include "penumbra/io/checkpoint_file.h"
#include "penumbra/runs/common_options.h"
#include "penumbra/runs/run_folder.h"
#include "penumbra/solvers/checkpoints.h"

namespace penumbra {

// Throws Error where the newest checkpoint in the folder is of another build of the program: its
// state may mean something else there.
void check_same_build(const std::string& run_folder);

class RunCheckpoints final : public Checkpoints {
 public:
  // Every `interval` seconds; 0: only when asked for and at the end. The header's program is this
  // one. The options, which say who asks and who is told, must outlive it.
  RunCheckpoints(RunFolder& run, CheckpointHeader header, double interval,
                 const CommonOptions& common);

  // Finds the newest one; false: there is none yet. Throws Error for one of another problem.
  bool find(const Pomdp& model, const ConfigTable& config);

  bool due() override;
  void save(const std::function<void(Saver&)>& write) override;
  bool resume(const std::function<void(Loader&)>& read) override;

  // How many were written and failed, bytes of the last one, seconds of all.
  Json summary() const;

 private:
  using Clock = std::chrono::steady_clock;

  RunFolder& run_;
  CheckpointHeader header_;
  CheckpointPair files_;
  double interval_;
  const CommonOptions& common_;
  bool found_ = false;
  Clock::time_point next_;
  int written_ = 0, failed_ = 0;
  double seconds_ = 0;
};

}  // namespace penumbra
