// States from all depths of random walks.
#pragma once

#include "penumbra/model/pomdp.h"

namespace penumbra::controller {

// `count` of them, fewer only if episodes end at once. Needs finite actions.
RecordBuffer random_walk_states(const Pomdp& model, size_t count, RngKey root);

// Whether no episode of a random or of a blind agent ends within `depth` steps: then none has an
// end to explore to.
bool never_ends(const Pomdp& model, int depth, RngKey key);

}  // namespace penumbra::controller
