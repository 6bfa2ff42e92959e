// A model whose every answer is looked at: rewards within what facts() declares, observations,
// categories and indices in range, features, values and probabilities finite, tables of
// distributions. What is wrong is an Error that names model, action and state, so that no number
// is made of it. make_solver() puts it around every model that is solved; it costs a comparison per
// number.
#pragma once

#include <atomic>
#include <memory>

#include "penumbra/model/decorated.h"

namespace penumbra {

class Audited final : public Decorated {
 public:
  // A view: the model outlives it.
  explicit Audited(const Pomdp& model);
  explicit Audited(std::unique_ptr<Pomdp> model);

  using Decorated::step;
  void step(ConstRecords state, ConstRecords action, Streams streams,
            const StepResults& out) const override;
  void encode(ConstRecords state, FeatureBatch& out, int first_row) const override;
  void likelihood(const std::byte* seen, const std::byte* action, ConstRecords next,
                  std::span<double> out) const override;
  void cumulative(float bound, int coordinate, const std::byte* action, ConstRecords next,
                  std::span<double> out) const override;
  void mdp_value(ConstRecords state, std::span<double> out) const override;
  Tabular table() const override;
  int table_states() const override { return inner().table_states(); }
  void state_index(ConstRecords state, std::span<int> out) const override;
  void coordinates(ConstRecords state, std::span<float> out) const override;

 private:
  void take_facts();
  [[noreturn]] void throw_wrong_step(ConstRecords state, ConstRecords action,
                                     const StepResults& out) const;

  double low_ = 0, high_ = 0;  // of a reward, with room for rounding
  FeatureLayout layout_;
  mutable std::atomic<int> num_states_ = 0;  // of the table; 0: it was not asked for yet
};

// A few steps from b0, to find early what is wrong with the probabilities: those of the
// observations must sum to one, and what was seen must be possible. Throws Error.
void check_first_steps(const Pomdp& model);

}  // namespace penumbra
