// What `penumbra solve` and `penumbra resume` share.
#pragma once

#include "penumbra/runs/solve_options.h"

namespace penumbra::cli {

// Goes on in the folder o.run, prints, and gives the exit code. `options` has declared `o`.
int resume_solve(SolveOptions& o, const OptionRecord& options);

}  // namespace penumbra::cli
