// A controller as JSON, for other languages and for looking at it. One object:
//
//   format "penumbra-controller" | version 1 | domain
//   actions, observations   their names
//   discretiser             null, or {dimension, centres: [[...], ...]}: observation i is what is
//                           nearest to centre i
//   start                   a node
//   nodes                   [{action, next: [node per observation]}, ...]
#pragma once

#include <string>

#include "penumbra/io/policy_file.h"

namespace penumbra {

// The policy must have a controller.
std::string controller_json(const PolicyFile& policy);

}  // namespace penumbra
