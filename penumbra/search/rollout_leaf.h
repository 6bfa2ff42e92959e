// Leaves by simulation: random actions, or one action again and again.
#pragma once

#include "penumbra/search/leaf.h"

namespace penumbra::search {

std::shared_ptr<const Leaf> make_rollout_leaf(const Pomdp& model, int steps);
// The action is the best one on average over states of b0 and some that random actions lead to.
std::shared_ptr<const Leaf> make_blind_leaf(const Pomdp& model, int steps, RngKey key);

}  // namespace penumbra::search
