// A model that a Python class describes, as the solvers see models. The adapter is a Python object
// of penumbra/adapter.py; its methods take memory and write results into memory. Nothing here knows
// NumPy. Calls need the GIL and nothing else: a thread that waits for it holds no lock of ours.
#pragma once

#include "python/extension/shared.h"

namespace penumbra::python {

class PythonPomdp final : public Pomdp {
 public:
  // `facts`, `capabilities` (names of optional parts) and sizes are what the adapter says.
  explicit PythonPomdp(HeldObject adapter);

  size_t lanes_per_call() const override { return lanes_; }
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
  int table_states() const override { return num_states_; }
  void state_index(ConstRecords state, std::span<int> out) const override;
  void perturb(ConstRecords state, Streams streams, Records out) const override;
  int num_coordinates() const override;
  void coordinates(ConstRecords state, std::span<float> out) const override;
  void from_coordinates(std::span<const float> values, Records out) const override;
  Scene scene() const override;
  void scene_values(ConstRecords state, std::span<float> out) const override;
  std::string draw(const std::byte* state) const override;
  std::string describe_state(const std::byte* state) const override;

 private:
  // Solvers ask for one observation after the other at the same states: the answers for all are
  // kept until the next states.
  const std::vector<double>& all_likelihoods(const std::byte* action, ConstRecords next) const;
  // Throws Error for what no model may give: the library would read memory that is not there.
  void check_results(const StepResults& out, size_t n) const;

  HeldObject adapter_;
  size_t lanes_ = 4096;
  bool has_terminal_ = true;
  FeatureLayout features_;
  int coordinates_ = 0;
  bool has_step_action_ = false;  // one action for all lanes
  bool has_likelihoods_ = false;  // of all observations at once
  uint64_t serial_;               // no other model has the same
  int num_states_ = 0;            // of the table, where there is one
};

}  // namespace penumbra::python
