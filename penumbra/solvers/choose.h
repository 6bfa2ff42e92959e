// Which solver to take for a model when nobody says: by what the model offers and how large it is.
// docs/choose-a-solver.md is this as a table.
#pragma once

#include <string>

#include "penumbra/model/pomdp.h"

namespace penumbra {

struct SolverChoice {
  std::string solver;
  std::string why;  // "it has a table of 121 states"
};

// `model`: with its observations clustered where they are continuous. `controller`: the policy must
// be a controller, whatever else would do better.
SolverChoice choose_solver(const Pomdp& model, bool controller);

}  // namespace penumbra
