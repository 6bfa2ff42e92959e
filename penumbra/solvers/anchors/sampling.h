// States that alpha functions are anchored at: half of them from b0, half from random walks that
// keep an action for some steps, so that they get somewhere. With few origins all of them are
// reached from there, breadth first: where moves are exact most steps from an anchor then end at an
// anchor, and little is smeared, which in many dimensions neighbours at a distance would do.
#pragma once

#include "penumbra/base/stop.h"
#include "penumbra/model/pomdp.h"

namespace penumbra::anchors {

// At most `count`, no two with the same features, none of them terminal. `origins`: initial states
// that all are reached from; 0: always others. Throws Stopped (base/stop.h), and an Error if every
// episode is over at once.
RecordBuffer sample_anchors(const Pomdp& model, size_t count, size_t origins, RngKey key,
                            const Stop& stop);

}  // namespace penumbra::anchors
