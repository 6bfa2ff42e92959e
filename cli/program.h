// The program: finds the command, reads its options, runs it, and turns failures into one line and
// an exit code. Results go to stdout, everything else to stderr.
#pragma once

#include <string>
#include <vector>

#include "penumbra/base/team.h"

namespace penumbra::cli {

// Gives the exit code. On ranks other than 0 nobody should see what is printed.
int run_program(const std::vector<std::string>& arguments, Team& team);

}  // namespace penumbra::cli
