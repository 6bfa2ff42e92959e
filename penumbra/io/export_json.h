// A controller as JSON, for other languages and for looking at it. One object:
//
//   format "penumbra-controller" | version 1 | domain
//   actions, observations   their names
//   discretiser             null, or {dimension, centres: [[...], ...]}: observation i is what is
//                           nearest to centre i, distances along each coordinate divided by
//                           `units` where these are there; or {dimension, tree_of_action, trees:
//                           [[[coordinate, bound, below, above], ...], ...]}: values below the
//                           bound go to split `below`, others to `above`; a negative x is
//                           observation ~x; split 0 is the root, and a tree without splits always
//                           shows observation 0
//   start                   a node
//   nodes                   [{action, next: [node per observation]}, ...]
#pragma once

#include <string>

#include "penumbra/io/policy_file.h"

namespace penumbra {

// The policy must have a controller.
std::string controller_json(const PolicyFile& policy);

}  // namespace penumbra
