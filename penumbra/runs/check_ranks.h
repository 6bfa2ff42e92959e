// Ranks that are not alike would compute different things without noticing.
#pragma once

#include "penumbra/base/team.h"
#include "penumbra/model/pomdp.h"
#include "penumbra/runs/config.h"

namespace penumbra {

// Throws Error on all ranks, naming those that differ from rank 0 in program, vector units, the
// mathematical functions of the system, model or options.
void check_ranks(Team& team, const Pomdp& model, const ConfigTable& options);

// A hash of a thousand results of functions whose last bits depend on processor and library.
uint64_t mathematics_hash();

}  // namespace penumbra
