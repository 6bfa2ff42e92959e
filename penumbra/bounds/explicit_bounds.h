// Bounds on the value of explicit models. All are proven: an iterate that has not converged is
// moved by its largest residual / (1 - discount), after which it is on the right side of its own
// backup, hence of the optimum.
//
// `stop` (base/stop.h: thread-safe) ends each early with a looser bound that is proven all the
// same.
#pragma once

#include <vector>

#include "penumbra/base/stop.h"
#include "penumbra/model/mixed_model.h"

namespace penumbra {

// One value per part and hidden state.
using PartValues = std::vector<std::vector<double>>;
// One per part, action and hidden state.
using PartActionValues = std::vector<std::vector<std::vector<double>>>;

// V_mdp, from above: what a state is worth when it is known.
PartValues mdp_bound(const MixedModel& model, double precision = 1e-6, const Stop& stop = {});
// Q_mdp of a V_mdp that is not below its own backup, as those of mdp_bound: also an upper bound on
// taking the action at a belief, linear in it.
PartActionValues qmdp_bound(const MixedModel& model, const PartValues& values,
                            const Stop& stop = {});
// The fast informed bound (Hauskrecht 2000): between the optimum and Q_mdp; it counts that one
// observation is not the whole truth.
PartActionValues fast_informed_bound(const MixedModel& model, double precision = 1e-6,
                                     const Stop& stop = {});
// From below: the value of always taking the same action.
PartActionValues blind_bound(const MixedModel& model, double precision = 1e-6,
                             const Stop& stop = {});

}  // namespace penumbra
