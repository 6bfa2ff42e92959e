// A controller over macro-actions as a plain one over the model's own actions: its nodes are pairs
// of a node and a node of that node's macro-action.
#pragma once

#include <span>

#include "penumbra/model/macro_action.h"
#include "penumbra/policy/fsc.h"

namespace penumbra {

Fsc expand_macros(const Fsc& fsc, std::span<const MacroAction> macros);

}  // namespace penumbra
