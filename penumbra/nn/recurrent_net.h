// A network with a memory: features -> dense, ReLU -> GRU -> dense, ReLU -> dense. The memory is a
// row of `hidden` floats that the caller keeps; it starts as zeros.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "penumbra/base/rng.h"
#include "penumbra/nn/bytes.h"
#include "penumbra/nn/parameter_layout.h"

namespace penumbra::nn {

struct RecurrentShape {
  FeatureLayout input;  // categories and dense values; no bits
  int hidden = 128;     // a multiple of kPanel
  int outputs = 1;

  bool operator==(const RecurrentShape&) const = default;
  // Throws Error on empty inputs, bits, and widths that are not allowed.
  void validate() const;
};

// Where the parameters lie. All matrices are packed into panels of kPanel columns.
struct RecurrentLayout {
  explicit RecurrentLayout(RecurrentShape shape);

  RecurrentShape shape;
  DenseLayer first;                 // inputs -> hidden; its rows are categories, then dense values
  DenseLayer input;                 // hidden -> three gates (reset, keep, fresh)
  DenseLayer state;                 // memory -> three gates
  DenseLayer after;                 // memory -> hidden
  DenseLayer head;                  // hidden -> outputs
  std::vector<int> category_first;  // row of category 0 of each block
  int category_rows = 0;
  size_t num_floats = 0;

  int num_blocks() const { return int(category_first.size()); }
  int num_dense() const { return shape.input.num_dense; }
  std::vector<const DenseLayer*> layers() const { return {&first, &input, &state, &after, &head}; }
  size_t num_plain() const;
};

class RecurrentNet {
 public:
  explicit RecurrentNet(RecurrentShape shape);  // all parameters zero
  // Orthogonal matrices; `head_gain` is the size of the outputs to start with.
  static RecurrentNet random(RecurrentShape shape, double head_gain, RngKey key);

  const RecurrentShape& shape() const { return layout_->shape; }
  const RecurrentLayout& layout() const { return *layout_; }
  std::span<const float> packed() const { return parameters_; }
  std::span<float> packed() { return parameters_; }

  // For each layer weights [in][out] row by row, then biases.
  std::vector<float> plain() const;
  void set_plain(std::span<const float> values);
  bool finite() const;

  void write(ByteWriter& out) const;
  static RecurrentNet read(ByteReader& in);

 private:
  std::shared_ptr<const RecurrentLayout> layout_;
  AlignedVector<float> parameters_;
};

}  // namespace penumbra::nn
