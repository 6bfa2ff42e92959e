// A command of the program. Adding one is a file with a declare function, and a line in the table
// of program.cpp.
#pragma once

#include <functional>

#include "cli/flags.h"

namespace penumbra::cli {

// Exit codes, as --help and docs/cli.md state them.
enum ExitCode { kOk = 0, kBadInput = 1, kInternalError = 2, kInterrupted = 130 };

// Who runs a command where there are several processes: those that cannot share it leave it to the
// first.
enum class Ranks { kFirst, kAll };

struct Command {
  const char* name;
  const char* summary;
  // Declares the command's options. What it returns runs after they have been read, and gives the
  // exit code.
  std::function<int()> (*declare)(Flags& flags);
  Ranks ranks = Ranks::kFirst;
};

std::function<int()> declare_bench(Flags& flags);
std::function<int()> declare_build(Flags& flags);
std::function<int()> declare_check(Flags& flags);
std::function<int()> declare_convert(Flags& flags);
std::function<int()> declare_domains(Flags& flags);
std::function<int()> declare_evaluate(Flags& flags);
std::function<int()> declare_export(Flags& flags);
std::function<int()> declare_inspect(Flags& flags);
std::function<int()> declare_new(Flags& flags);
std::function<int()> declare_planners(Flags& flags);
std::function<int()> declare_report(Flags& flags);
std::function<int()> declare_resume(Flags& flags);
std::function<int()> declare_simulate(Flags& flags);
std::function<int()> declare_solve(Flags& flags);
std::function<int()> declare_solvers(Flags& flags);
std::function<int()> declare_tune(Flags& flags);
std::function<int()> declare_watch(Flags& flags);

}  // namespace penumbra::cli
