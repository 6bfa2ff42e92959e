// The base of models that change one thing about another model and pass the rest through.
#pragma once

#include <memory>

#include "penumbra/model/pomdp.h"

namespace penumbra {

class Decorated : public Pomdp {
 public:
  size_t lanes_per_call() const override { return inner().lanes_per_call(); }
  void sample_initial(Streams streams, Records out) const override;
  void is_terminal(ConstRecords state, std::span<uint8_t> out) const override;
  using Pomdp::step;
  void step(ConstRecords state, ConstRecords action, Streams streams,
            const StepResults& out) const override;
  FeatureLayout features() const override;
  void encode(ConstRecords state, FeatureBatch& out, int first_row) const override;
  void likelihood(const std::byte* seen, const std::byte* action, ConstRecords next,
                  std::span<double> out) const override;
  void cumulative(float bound, int coordinate, const std::byte* action, ConstRecords next,
                  std::span<double> out) const override;
  void mdp_value(ConstRecords state, std::span<double> out) const override;
  Tabular table() const override;
  void state_index(ConstRecords state, std::span<int> out) const override;
  void perturb(ConstRecords state, Streams streams, Records out) const override;
  int num_coordinates() const override;
  void coordinates(ConstRecords state, std::span<float> out) const override;
  void from_coordinates(std::span<const float> values, Records out) const override;
  Scene scene() const override;
  void scene_values(ConstRecords state, std::span<float> out) const override;
  std::string draw(const std::byte* state) const override;
  std::string describe_state(const std::byte* state) const override;

  const Pomdp& inner() const { return *inner_; }

 protected:
  explicit Decorated(std::unique_ptr<Pomdp> inner)
      : owned_(std::move(inner)), inner_(owned_.get()) {}
  // A view: the inner model outlives it.
  explicit Decorated(const Pomdp& inner) : inner_(&inner) {}

 private:
  std::unique_ptr<Pomdp> owned_;
  const Pomdp* inner_;
};

}  // namespace penumbra
