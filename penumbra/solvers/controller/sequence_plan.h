// What to do in given states, by drawing sequences of actions of a box: the sequence with the best
// mean return, V_mdp at its end, is kept and others are drawn around the best few (the
// cross-entropy method). It sees nothing on its way: good for one state that is taken for true, and
// a plan without observations for several.
#pragma once

#include <vector>

#include "penumbra/bounds/mdp_value.h"
#include "penumbra/model/pomdp.h"

namespace penumbra::controller {

class SequencePlan {
 public:
  // The model has a box of actions. `first`: rows of it that are worth trying.
  SequencePlan(const Pomdp& model, const MdpValue& values, std::span<const float> first);

  // The next action for these states. It goes on from the plan that it had, unless forgotten.
  std::vector<float> next(ConstRecords states, RngKey key);
  void forget() { plan_.clear(); }
  uint64_t steps() const { return steps_; }

 private:
  using Sequence = std::vector<float>;  // row-major [time][coordinate]

  Sequence draw(Rng& rng) const;
  Sequence draw_around(const Sequence& centre, double deviation, Rng& rng) const;
  std::vector<double> returns(const std::vector<Sequence>& sequences, ConstRecords states,
                              RngKey key);

  const Pomdp& model_;
  const MdpValue& values_;
  std::vector<float> first_;
  size_t width_;
  Sequence plan_;
  uint64_t steps_ = 0;
};

}  // namespace penumbra::controller
