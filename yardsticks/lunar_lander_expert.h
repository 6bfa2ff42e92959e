// A hand-made controller for lunar-lander on the mean of the belief, to measure solvers by; no
// solver uses it. It falls as fast as it can still brake, leans against its sideways error and
// keeps the lean by the sideways thruster.
#pragma once

#include "domains/lunar_lander.h"
#include "yardsticks/particle_rule.h"

namespace penumbra {

class LunarLanderExpert final : public ParticleRule<LunarLander, 1000, true> {
 public:
  using ParticleRule::ParticleRule;
  // What it does where the state is known.
  LunarLander::Action control(const LunarLander::State& s) const;

 private:
  LunarLander::Action decide(Belief belief) const override;
};

}  // namespace penumbra
