// A report of a solve as one plain line.
#pragma once

#include <string>

#include "penumbra/solvers/solver.h"

namespace penumbra::cli {

// What an upper value may be called: only what is proven is a bound.
const char* upper_words(UpperKind kind);

std::string progress_line(const SolveProgress& p);

}  // namespace penumbra::cli
