// Solvers work on a box of actions through a stock of rows (model/action_stock.h); what they give
// is a controller that names the actions themselves.
#pragma once

#include <memory>

#include "penumbra/model/action_stock.h"
#include "penumbra/policy/fsc.h"
#include "penumbra/solvers/solver.h"

namespace penumbra {

// A stock that grows by itself, where the model is one; otherwise none.
std::unique_ptr<ActionStock> own_stock(const Pomdp& model);

// The controller with its actions in place of the numbers of their rows. One that has them already
// stays as it is.
Fsc with_real_actions(Fsc fsc, const ActionStock& stock);
// The same for a solution whose policy is a controller.
Solution with_real_actions(Solution solution, const ActionStock& stock);

}  // namespace penumbra
