// A hand-made rule for inspection on a belief of particles, to measure solvers by; no solver uses
// it. It drives to the nearest place that it is not sure of, by doors that may be open, looks until
// it is sure, reports a fault, and goes home when nothing is left or the battery asks for it.
#pragma once

#include "domains/inspection.h"
#include "yardsticks/particle_rule.h"

namespace penumbra {

class InspectionExpert final : public ParticleRule<Inspection, 1500, true> {
 public:
  using ParticleRule::ParticleRule;

 private:
  int decide(Belief belief) const override;
};

}  // namespace penumbra
