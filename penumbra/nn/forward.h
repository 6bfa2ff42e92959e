// One thread's scratch for running a network over a tile of rows that stays in cache.
#pragma once

#include <vector>

#include "penumbra/nn/parameter_layout.h"

namespace penumbra::nn {

// The sums of rows for every combination of each bit group, lut_rows x kPanel, for one panel.
void build_lut(const ParameterLayout& layout, const float* parameters, int panel, float* lut);

class Forward {
 public:
  static constexpr int kTileRows = 96;

  explicit Forward(const ParameterLayout& layout, int tile_rows = kTileRows);

  int tile_rows() const { return tile_rows_; }
  // Takes a network of the layout; its look-up tables are built if `rows` rows make them pay.
  // Results are the same bits either way.
  void use(const float* parameters, int rows);
  // Takes look-up tables that the caller keeps up to date.
  void use(const float* parameters, const float* lut) {
    parameters_ = parameters;
    lut_ = lut;
  }

  // Runs up to tile_rows rows; index and dense as in Inputs, one row after the other.
  void run_hidden(const int32_t* index, const float* dense, int rows);
  void run(const int32_t* index, const float* dense, int rows);

  float* hidden(int layer) { return hidden_[layer].data(); }  // layer < max(1, num_hidden)
  int stride(int layer) const { return strides_[layer]; }
  // Output o of row r is outputs()[r * output_stride() + o].
  const float* outputs() const { return layout_.layers.empty() ? hidden_[0].data() : out_.data(); }
  int output_stride() const { return output_stride_; }

 private:
  void first_layer(const int32_t* index, const float* dense, int rows);
  const int32_t* sum_bits_directly(const int32_t* index, int rows);

  const ParameterLayout& layout_;
  int tile_rows_;
  const float* parameters_ = nullptr;
  const float* lut_ = nullptr;  // null: few rows, their bits are added one by one
  std::vector<AlignedVector<float>> hidden_;
  std::vector<int> strides_;
  AlignedVector<float> out_;
  int output_stride_ = 1;
  AlignedVector<float> own_lut_;  // panels of lut_entries_ rows
  int lut_entries_ = 0;
  std::vector<int32_t> own_index_;
};

}  // namespace penumbra::nn
