// A controller as a Graphviz graph of what it does: only nodes and edges that episodes use, with
// how often. Edges that hardly any step takes are left out.
#pragma once

#include <string>

#include "penumbra/evaluate/controller_use.h"
#include "penumbra/io/policy_file.h"

namespace penumbra {

// `least`: the share of the steps out of a node below which an edge is left out.
std::string visits_dot(const PolicyFile& policy, const ControllerUse& use, double least = 0.005);

}  // namespace penumbra
