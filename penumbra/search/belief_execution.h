// Executes a controller with a belief. A particle filter follows what happens; where another node,
// the best by the networks' values of the belief, does clearly better on fresh particles than the
// one that the controller would go to, it takes its place. The plain controller remembers only its
// node; this costs a planner's step for every action. Where the model groups observations
// (groups_of_likelihood) the filter takes them as they are, and the policy is played on what is
// grouped.
#pragma once

#include "penumbra/policy/fnc.h"
#include "penumbra/policy/policy.h"

namespace penumbra::search {

inline constexpr int kBeliefParticles = 50'000;

// The model outlives the policy. Throws Error if the controller is for another one.
std::unique_ptr<Policy> belief_execution(const Pomdp& model, const Fnc& controller,
                                         int particles = kBeliefParticles);

}  // namespace penumbra::search
