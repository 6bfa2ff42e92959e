// States that alpha functions are anchored at: half of them from b0, half from random walks that
// keep an action for some steps, so that they get somewhere.
#pragma once

#include "penumbra/base/stop.h"
#include "penumbra/model/pomdp.h"

namespace penumbra::anchors {

// At most
// `count`, no two with the same features, none of them terminal. Throws Stopped (base/stop.h), and
// an Error if every episode is over at once.
RecordBuffer sample_anchors(const Pomdp& model, size_t count, RngKey key, const Stop& stop);

}  // namespace penumbra::anchors
