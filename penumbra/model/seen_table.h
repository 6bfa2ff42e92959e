// The table of a model as its agent sees it. A table may declare parts of a state visible that the
// simulator of a domain does not show (the agent could work them out): to a policy that runs on
// the simulator they are not observations.
#pragma once

#include "penumbra/model/pomdp.h"

namespace penumbra {

// Throws Error where the table has neither the simulator's observations nor pairs of visible part
// and observation.
Tabular seen_table(const Pomdp& model);

}  // namespace penumbra
