// A controller as a Graphviz graph: a box per node with its action, the start drawn double, an
// arrow per pair of nodes with the observations that lead along it. Observations that share the
// most common way out of a node are called "else" when they are many.
#pragma once

#include <string>

#include "penumbra/io/policy_file.h"

namespace penumbra {

// The policy must have a controller.
std::string controller_dot(const PolicyFile& policy);

}  // namespace penumbra
