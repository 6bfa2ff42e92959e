// What `penumbra solve` can be told. `penumbra resume` reads the same from a run's folder.
#pragma once

#include <map>
#include <string>

#include "cli/common_options.h"
#include "cli/config.h"
#include "penumbra/solvers/solver.h"

namespace penumbra::cli {

struct SolveOptions {
  std::string domain, solver = "auto", output, run, execute = "controller", macro_actions;
  std::string time, scoring, gap, checkpoint = "60s";
  std::map<std::string, std::string> settings;  // of the solver, by name; empty: not given
  uint64_t backups = 0, nodes = 0, memory = 0, episodes = 100'000;
  bool dry_run = false;
  CommonOptions common;
};

void declare_solve_options(Flags& flags, SolveOptions& o);

// Puts the options of the solver that the arguments name into --help; of none without a name. An
// option that is not known is compared with those of the solver that would be used.
void show_solver_options(const std::vector<std::string>& arguments, const SolveOptions& o,
                         Flags& flags);
// Sets an option of a solver. Throws Error that names the solver.
void set_setting(OptionList& options, const std::string& solver, const std::string& name,
                 const std::string& value);
// The names of those solvers whose policy is a controller.
std::vector<std::string> controller_solvers();

// 60 s unless other work was asked for.
std::string time_limit(const SolveOptions& o);
Limits read_limits(const SolveOptions& o);

// Every option that has a value, those of the solver included: the same solve again.
ConfigTable effective_config(const SolveOptions& o, const Flags& flags, const OptionList& solver);
// Throws Error naming the first option that decides what is computed (not when it stops, nor what
// is printed) and differs.
void check_same_problem(const ConfigTable& began_with, const ConfigTable& now);

// `o.solver` becomes the one that `auto` picks.
int run_solve(SolveOptions& o, const Flags& flags);
// Goes on in the folder o.run.
int resume_solve(SolveOptions& o, const Flags& flags);

}  // namespace penumbra::cli
