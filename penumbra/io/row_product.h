// Products of conditional distributions, row by row: for every assignment of some variables
// (states before a step, say) the joint distribution of others (states after it). Inputs are
// enumerated as a tree; each factor is multiplied in as soon as all that it depends on is decided,
// so the work per row is that of the last factor, not of all.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "penumbra/io/factored_model.h"

namespace penumbra {

class RowProduct {
 public:
  // Factor i describes output i. Inputs and outputs are ranges of slots; outputs may depend on
  // each other without a cycle (otherwise Error). With no inputs there is one row.
  RowProduct(const FactoredModel& model, const std::vector<Diagram>& factors, int first_input,
             size_t num_inputs, int first_output);

  // Where each factor is once the actions are known: actions with the same have the same rows.
  std::vector<Diagram::Ref> roots(std::span<const int> actions) const;

  using Entry = SparseRows::Entry;
  using Sink = std::function<void(std::vector<Entry>& row)>;
  // Calls `sink` with every row in the order of the inputs' joint index; columns are sorted.
  void run(std::span<const int> actions, const Sink& sink);

 private:
  void plan();
  void descend(size_t depth, std::vector<Entry>* list, const Sink& sink);
  void multiply(size_t factor, const std::vector<Entry>& in, std::vector<Entry>& out) const;

  const std::vector<Diagram>& factors_;
  int first_input_, first_output_;
  std::vector<int> sizes_;  // of all slots
  std::vector<int> input_sizes_;
  std::vector<int64_t> strides_;              // of the outputs
  std::vector<std::vector<size_t>> ready_;    // [depth]: factors to multiply in there, in order
  std::vector<std::vector<size_t>> testing_;  // [input]: factors that test it
  std::vector<char> conditional_;             // [factor]: tests other outputs
  std::vector<Diagram::Ref> at_;              // where each factor is
  std::vector<std::vector<Entry>> buffer_;
};

// The values of the digits of a joint index, the first being the slowest.
std::vector<int> digits(int64_t index, const std::vector<FactoredModel::Variable>& variables);
int64_t num_joint(const std::vector<FactoredModel::Variable>& variables);

}  // namespace penumbra
