// What a solve can be told. Going on with a run reads the same from its folder.
#pragma once

#include <map>
#include <string>

#include "penumbra/runs/common_options.h"
#include "penumbra/runs/config.h"
#include "penumbra/solvers/solver.h"

namespace penumbra {

struct SolveOptions {
  std::string domain, solver = "auto", output, run, execute = "controller", macro_actions;
  std::string time, scoring, gap, checkpoint = "60s";
  std::map<std::string, std::string> settings;  // of the solver, by name; empty: not given
  uint64_t backups = 0, nodes = 0, memory = 0, episodes = 100'000;
  bool dry_run = false;
  double scoring_when_cancelled = 1.5;  // seconds
  CommonOptions common;
};

void declare_solve_options(OptionRecord& options, SolveOptions& o);

// Sets an option of a solver. Throws Error that names the solver.
void set_setting(OptionList& options, const std::string& solver, const std::string& name,
                 const std::string& value);
// The names of those solvers whose policy is a controller.
std::vector<std::string> controller_solvers();

// 60 s unless other work was asked for.
std::string time_limit(const SolveOptions& o);
Limits read_limits(const SolveOptions& o);

// Every option that has a value, those of the solver included: the same solve again.
ConfigTable effective_config(const SolveOptions& o, const OptionRecord& options,
                             const OptionList& solver);
// Of these, the ones that decide what is computed.
ConfigTable decisive_options(const ConfigTable& config);
// Throws Error naming the first option that decides what is computed (not when it stops, nor what
// is printed) and differs.
void check_same_problem(const ConfigTable& began_with, const ConfigTable& now);

}  // namespace penumbra
