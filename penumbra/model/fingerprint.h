// What a model does on a fixed handful of random steps: two models that agree in nearly all of
// them are taken for the same problem. A few may differ, because another processor may round
// otherwise. Where a model has features they are part of it: what its observations hardly show,
// such as the length of a corridor, its states do.
#pragma once

#include <span>
#include <vector>

#include "penumbra/model/pomdp.h"

namespace penumbra {

// Needs finite actions and observations.
std::vector<double> fingerprint(const Pomdp& model);
// One without states, as models without features and older files have it, is compared as far as it
// goes.
bool same_fingerprint(std::span<const double> a, std::span<const double> b);

}  // namespace penumbra
