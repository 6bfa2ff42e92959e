// Which actions of a box a backup tries at a belief: those that are wanted anyway, and others from
// everywhere and from around them. Actions are rows of a stock; fresh ones are appended to it.
#pragma once

#include <vector>

#include "penumbra/model/action_stock.h"
#include "penumbra/policy/fsc.h"

namespace penumbra::controller {

// `wanted` first, then others up to `count` in all: in turn one of the first rows, one of a node of
// the controller, one from near a wanted one, one from anywhere in the box.
std::vector<int> proposed_actions(ActionStock& stock, const Fsc& fsc, std::vector<int> wanted,
                                  int count, RngKey key);

}  // namespace penumbra::controller
