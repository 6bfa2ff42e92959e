// Going on with a run: its options are in its folder, and a few of them may be changed.
#pragma once

#include <span>
#include <string>

#include "penumbra/runs/solve_options.h"

namespace penumbra {

struct RunOverride {
  const char* key;
  const char* name;  // on a command line
  const char* help;
  bool is_limit;
};
std::span<const RunOverride> run_overrides();

// Fills in `o`, which `options` has declared, from the run in the folder. If one limit is given all
// those that it had are dropped. Throws Error where there is no run, for a key that is none of the
// overrides, and for a checkpoint of another build unless that is wanted.
void read_run_options(const std::string& folder, const ConfigTable& overrides, bool other_build,
                      SolveOptions& o, const OptionRecord& options);

}  // namespace penumbra
