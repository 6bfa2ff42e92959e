// The alpha functions of a controller for the page of a report: what the networks of a few nodes
// say of states laid out over the domain.
#pragma once

#include "penumbra/evaluate/controller_use.h"
#include "penumbra/policy/fnc.h"
#include "penumbra/runs/json.h"

namespace penumbra {

// Of the start and of the nodes that act most often, where they have a network; null where none
// has. Needs features.
Json alphas_json(const Pomdp& model, const Fnc& fnc, const ControllerUse& use, uint64_t seed);

}  // namespace penumbra
