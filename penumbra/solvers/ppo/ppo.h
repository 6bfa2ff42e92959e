// Recurrent proximal policy optimisation (Schulman et al. 2017), the learning baseline of the
// Neural Value Iteration paper: separate actor and critic, each dense, ReLU, GRU, dense, ReLU,
// dense. A round plays a number of steps on many lanes, estimates advantages with the critic, and
// makes some epochs of clipped gradient steps; one gradient step counts as one backup.
//
// It needs a simulator only: any observations, finite or continuous actions. It proves nothing, and
// keeps whichever networks scored best in simulation, played greedily or drawn.
#pragma once

#include <memory>

namespace penumbra {

class Solver;
std::unique_ptr<Solver> make_ppo();

}  // namespace penumbra
