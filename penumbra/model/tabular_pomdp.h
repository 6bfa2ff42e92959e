// An explicit table as a simulator: what a file holds can be simulated, evaluated and solved like
// any other model. A state is its index; with `visible` an observation is the pair
// visible' * num_observations + o (tabular.h), so that nothing the agent sees is lost.
#pragma once

#include <memory>

#include "penumbra/model/pomdp.h"

namespace penumbra {

class TabularPomdp final : public Pomdp {
 public:
  // Throws Error if the table is not one (check_tabular).
  explicit TabularPomdp(Tabular table);

  const Tabular& tabular() const { return table_; }

  void sample_initial(Streams streams, Records out) const override;
  void is_terminal(ConstRecords state, std::span<uint8_t> out) const override;
  using Pomdp::step;
  void step(ConstRecords state, ConstRecords action, Streams streams,
            const StepResults& out) const override;
  // One block per variable of a factored state, otherwise one block: the state.
  FeatureLayout features() const override;
  void encode(ConstRecords state, FeatureBatch& out, int first_row) const override;
  void likelihood(const std::byte* seen, const std::byte* action, ConstRecords next,
                  std::span<double> out) const override;
  Tabular table() const override { return table_; }
  int table_states() const override { return table_.num_states; }
  void state_index(ConstRecords state, std::span<int> out) const override;
  std::string describe_state(const std::byte* state) const override;

 private:
  // Draws columns of rows; long rows have their running sums ready.
  struct Sampler {
    const SparseRows* rows = nullptr;
    std::vector<double> sums;  // parallel to the entries, or empty where rows are short
    explicit Sampler(const SparseRows& r);
    int draw(int row, double u) const;
  };

  Tabular table_;
  SparseRows start_;  // one row
  std::vector<Sampler> next_, seen_;
  std::vector<Sampler> first_;  // of start_
  std::vector<int> strides_;    // of the variables
};

std::unique_ptr<Pomdp> tabular_pomdp(Tabular table);

}  // namespace penumbra
