// An alpha-vector policy as a finite-state controller, which needs no belief to run and whose
// value is exact (fsc_value). A node is a belief that the policy reaches; the most likely ones get
// their own, and beyond `max_nodes` a belief shares the node of its best vector.
#pragma once

#include "penumbra/policy/alpha_vectors.h"
#include "penumbra/policy/fsc.h"

namespace penumbra {

// `num_seen`: observations of the Pomdp. At most max_nodes + the number of vectors nodes.
// `exact`, if given, receives whether every belief got its own: it then acts as the policy does.
Fsc alpha_controller(const AlphaPolicy& policy, int num_seen, int max_nodes = 10'000,
                     bool* exact = nullptr);

}  // namespace penumbra
