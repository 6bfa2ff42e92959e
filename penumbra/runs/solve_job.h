// One solve as people and programs start it: loads the problem, solves, saves the policy, scores
// it, and keeps the folder of the run where one is asked for. It prints nothing
// (runs/common_options.h says who is told).
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "penumbra/io/policy_file.h"
#include "penumbra/model/macro_action.h"
#include "penumbra/runs/load.h"
#include "penumbra/runs/run_checkpoints.h"
#include "penumbra/runs/solve_options.h"

namespace penumbra {

struct SolveResult {
  Solution solution;
  PolicyFile policy;  // of the model itself, also where it was planned over macro-actions
  Score score;
  Json fields;  // all of it for programs (docs/records.md)
};

// What a solve would take, from one of a second.
struct SolveForecast {
  int threads = 1;
  double backups_per_second = 0, probe_seconds = 0;
  double seconds = 0;  // infinite: no limit on time or work
  double memory = 0, memory_of_model = 0;
  Json fields;
};

// Makes the model; with `finite` its observations must be. Empty: the one that o.domain names.
using ModelSource = std::function<std::unique_ptr<Pomdp>(bool finite)>;

// Nodes of a controller, or of the one beside vectors; 0: there is none.
int num_nodes(const PolicyData& policy);

class SolveJob {
 public:
  // Loads the problem and refuses what does not fit together. `o.solver` becomes the one that
  // `auto` picks. `options` has declared `o`; both outlive the job.
  SolveJob(SolveOptions& o, const OptionRecord& options, ModelSource source = {});

  // Makes the folder of a new run, if o.run names one.
  void start_run();
  // Goes on in the folder o.run.
  void resume_run();

  SolveForecast forecast();
  // `report` is called from the thread that solves, after the run's log has the line; `scoring`
  // once, when the policy is there and only its final score is left to do.
  SolveResult solve(const Solver::Report& report = {}, const std::function<void()>& scoring = {});

  const Pomdp& model() const { return *model_; }
  const std::string& config_text() const { return config_text_; }

 private:
  using Clock = std::chrono::steady_clock;
  double seconds() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }
  bool interrupted() const { return asked_to_stop(o_.common.interrupted); }
  const Pomdp& played() const;
  const char* what_it_makes() const;
  void pick_solver(SolveOptions& o);
  void plan_over_macro_actions();
  void check_controller_options() const;
  void check_memory(double before);
  size_t room_for_beliefs() const;
  void leave_time_for_the_end();
  double kept_for_the_end() const;
  double left_for_scoring(double before) const;
  void keep_checkpoints();
  Json problem_json() const;
  Json result_json(const Solution& s, const Score& score) const;

  const SolveOptions& o_;
  Clock::time_point began_;
  double time_ = 0;     // the limit
  double scoring_ = 0;  // 0: within the limit
  std::unique_ptr<Solver> solver_;
  OptionList options_;
  Limits limits_;
  Execution execution_ = Execution::kController;
  double interval_ = 0;
  ConfigTable config_;
  std::string config_text_;
  std::unique_ptr<Pomdp> model_;
  const std::vector<MacroAction>* macros_ = nullptr;  // of model_, when planning over them
  std::optional<RunFolder> run_;
  std::optional<RunCheckpoints> checkpoints_;
};

}  // namespace penumbra
