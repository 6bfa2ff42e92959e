// What commands list and others show too.
#pragma once

#include <string>
#include <vector>

#include "penumbra/base/spec.h"

namespace penumbra::cli {

// The parameters of a planner. Throws Error naming the planners there are.
std::vector<Params::Declaration> planner_parameters(const std::string& name);

}  // namespace penumbra::cli
