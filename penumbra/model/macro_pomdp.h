// A model whose actions are macro-actions of another one. One step plays a macro-action to its
// end; the observation is the last one, the reward the discounted sum on the way.
//
// A macro-action that took k steps must discount what follows by gamma^k, but a step of a model
// discounts by gamma. The difference is made exactly, in expectation, by ending the episode with
// probability 1 - gamma^(k-1): every solver, filter and rollout works unchanged, and the particles
// that survive are the discounted belief. A state is the inner one and whether it ended that way.
// (A loop that goes on until less than kNegligible of the discount is left ends there too.)
//
// A likelihood is offered where the inner model has one and no macro-action looks at what it sees:
// otherwise what was seen last depends on more than the last state.
#pragma once

#include "penumbra/model/decorated.h"
#include "penumbra/model/macro_action.h"

namespace penumbra {

class MacroPomdp final : public Decorated {
 public:
  static constexpr double kNegligible = 1e-4;

  // Throws Error for a model with continuous actions or observations, or a bad macro-action.
  MacroPomdp(std::unique_ptr<Pomdp> inner, std::vector<MacroAction> macros);

  const std::vector<MacroAction>& macros() const { return macros_; }

  void sample_initial(Streams streams, Records out) const override;
  void is_terminal(ConstRecords state, std::span<uint8_t> out) const override;
  using Decorated::step;
  void step(ConstRecords state, ConstRecords action, Streams streams,
            const StepResults& out) const override;
  void encode(ConstRecords state, FeatureBatch& out, int first_row) const override;
  void likelihood(const std::byte* seen, const std::byte* action, ConstRecords next,
                  std::span<double> out) const override;
  void mdp_value(ConstRecords state, std::span<double> out) const override;
  void perturb(ConstRecords state, Streams streams, Records out) const override;
  void scene_values(ConstRecords state, std::span<float> out) const override;
  std::string draw(const std::byte* state) const override { return inner().draw(state); }
  std::string describe_state(const std::byte* state) const override;

 private:
  bool gone(const std::byte* state) const;
  void set_gone(std::byte* state, bool gone) const;
  RecordBuffer inner_states(ConstRecords state) const;
  // Wraps states that have not ended this way.
  void wrap(ConstRecords inner_state, Records out) const;
  void step_block(ConstRecords state, ConstRecords action, Streams streams,
                  const StepResults& out) const;

  std::vector<MacroAction> macros_;
  std::vector<double> survival_;  // gamma^(k-1) of k steps, by k - 1; as many as are ever played
};

std::unique_ptr<Pomdp> macro_pomdp(std::unique_ptr<Pomdp> inner, std::vector<MacroAction> macros);

}  // namespace penumbra
