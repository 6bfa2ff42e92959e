// Where the parameters of a network lie in memory, and how its first layer reads a state.
//
// The rows of the first layer's weights belong to categories, bits and dense values, in that order.
// The first two are never multiplied: the rows of a state's categories are added up, and bits are
// read in groups of up to five, with a look-up table per group that holds the sum of the rows of
// every combination, so that 20 bits cost four row additions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "penumbra/nn/aligned.h"
#include "penumbra/nn/shape.h"

namespace penumbra::nn {

// A dense layer. Weight (k, n) lies at weights + ((n / panel) * panel_rows + k) * panel + n %
// panel; columns up to out_padded are zero and stay zero.
struct DenseLayer {
  int in = 0, out = 0, out_padded = 0;
  int panel_rows = 0;  // at least in
  int panel = kPanel;  // 1 for a single output: a plain vector, padded at its end
  size_t weights = 0, bias = 0;

  int panels() const { return out_padded / panel; }
  size_t panel_floats() const { return size_t(panel_rows) * panel; }
  size_t weight(int k, int n) const {
    return weights + size_t(n / panel) * panel_floats() + size_t(k) * panel + n % panel;
  }
};

struct BitGroup {
  int first = 0, count = 0;  // bits
  int lut_row = 0;           // of combination 0; combination m is m rows further
};

struct ParameterLayout {
  explicit ParameterLayout(MlpShape shape);

  MlpShape shape;
  DenseLayer first;
  int category_rows = 0, table_rows = 0;  // of the first layer: categories; categories and bits
  int num_dense = 0;                      // the rest of its rows
  std::vector<int> category_first;        // row of category 0 of each block
  std::vector<BitGroup> groups;
  int lut_rows = 0;                // odd, or zero: see odd() in parameter_layout.cpp
  std::vector<DenseLayer> layers;  // the others
  size_t num_floats = 0;           // of packed parameters

  int num_sources() const { return int(category_first.size() + groups.size()); }
  int num_hidden() const { return int(shape.hidden.size()); }
  // Parameters in plain order: for each layer weights [in][out] row by row, then biases.
  size_t num_plain() const;
  // Calls visit(packed offset) for every parameter in plain order.
  template <class Visit>
  void for_each_plain(const Visit& visit) const {
    visit_dense(first, visit);
    for (const DenseLayer& layer : layers) visit_dense(layer, visit);
  }

 private:
  template <class Visit>
  static void visit_dense(const DenseLayer& layer, const Visit& visit) {
    for (int k = 0; k < layer.in; ++k) {
      for (int n = 0; n < layer.out; ++n) visit(layer.weight(k, n));
    }
    for (int n = 0; n < layer.out; ++n) visit(layer.bias + n);
  }
};

// States as the first layer reads them: source rows for the gather, dense values beside them.
class Inputs {
 public:
  Inputs() = default;
  // Throws Error if the batch has other features than the network reads, or an index is out of
  // range.
  Inputs(const ParameterLayout& layout, const FeatureBatch& batch);

  int rows() const { return rows_; }
  const int32_t* index(int row) const { return index_.data() + size_t(row) * num_sources_; }
  const float* dense(int row) const { return dense_.data() + size_t(row) * num_dense_; }
  bool finite() const;
  // Brings rows with equal categories together, which the gather profits from when many networks
  // read the same states. Returns where each row was before.
  std::vector<int> sort_by_category();

 private:
  int rows_ = 0, num_blocks_ = 0, num_sources_ = 0, num_dense_ = 0;
  std::vector<int32_t> index_;  // table rows, then rows of the look-up tables
  std::vector<float> dense_;
};

}  // namespace penumbra::nn
