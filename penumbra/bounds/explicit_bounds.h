// Bounds on the value of explicit models. All are proven: an iterate that has not converged is
// moved by its largest residual / (1 - discount), after which it is on the right side of its own
// backup, hence of the optimum.
#pragma once

#include <vector>

#include "penumbra/model/mixed_model.h"

namespace penumbra {

// One value per part and hidden state.
using PartValues = std::vector<std::vector<double>>;
// One per part, action and hidden state.
using PartActionValues = std::vector<std::vector<std::vector<double>>>;

// V_mdp, from above: what a state is worth when it is known.
PartValues mdp_bound(const MixedModel& model, double precision = 1e-6);
// Q_mdp of a V_mdp: also an upper bound on taking the action at a belief, linear in it.
PartActionValues qmdp_bound(const MixedModel& model, const PartValues& values);
// The fast informed bound (Hauskrecht 2000): between the optimum and Q_mdp; it counts that one
// observation is not the whole truth.
PartActionValues fast_informed_bound(const MixedModel& model, double precision = 1e-6);
// From below: the value of always taking the same action.
PartActionValues blind_bound(const MixedModel& model, double precision = 1e-6);

}  // namespace penumbra
