// The rule "manage uncertainty" of the benchmark's authors for vdp-tag: head for where the mean
// target will be, and look while the belief is wide. No solver uses it.
#pragma once

#include "domains/vdp_tag.h"
#include "yardsticks/particle_rule.h"

namespace penumbra {

class VdpTagExpert final : public ParticleRule<VdpTag, 1500, false> {
 public:
  using ParticleRule::ParticleRule;

 private:
  VdpTag::Action decide(Belief belief) const override;
};

}  // namespace penumbra
