#include "penumbra/nn/forward.h"

#include <algorithm>
#include <bit>

#include "penumbra/base/error.h"
#include "penumbra/nn/kernels.h"

namespace penumbra::nn {

void build_lut(const Plan& plan, const float* parameters, int begin, int end, float* lut) {
  const size_t width = plan.first.out_padded;
  const float* bits = parameters + plan.table + plan.category_rows * width;
  for (const BitGroup& group : plan.groups) {
    float* rows = lut + group.lut_row * width;
    std::fill(rows + begin, rows + end, 0.0f);
    for (uint32_t m = 1; m < 1u << group.count; ++m) {
      const int top = std::bit_width(m) - 1;
      const float* rest = rows + (m ^ 1u << top) * width;
      const float* bit = bits + (group.first + top) * width;
      float* to = rows + m * width;
      for (int c = begin; c < end; ++c) to[c] = rest[c] + bit[c];
    }
  }
}

Forward::Forward(const Plan& plan, int tile_rows) : plan_(plan), tile_rows_(tile_rows) {
  const int layers = std::max(1, plan.num_hidden());
  for (int l = 0; l < layers; ++l) {
    strides_.push_back(row_stride(l == 0 ? plan.first.out : plan.shape.hidden[l]));
    hidden_.emplace_back(size_t(tile_rows) * strides_.back());
  }
  if (plan.layers.empty()) {
    output_stride_ = strides_[0];
  } else {
    output_stride_ = plan.layers.back().out_padded;
    out_.resize(size_t(tile_rows) * output_stride_);
  }
}

void Forward::use(const float* parameters, int rows) {
  parameters_ = parameters;
  lut_ = nullptr;
  if (plan_.groups.empty()) return;
  const size_t width = plan_.first.out_padded, groups = plan_.groups.size();
  const bool pays = rows * int(groups) * 2 >= plan_.lut_rows;
  if (pays) {
    own_lut_.resize(plan_.lut_rows * width);
    build_lut(plan_, parameters, 0, int(width), own_lut_.data());
    lut_ = own_lut_.data();
  } else {
    own_lut_.resize(std::min(rows, tile_rows_) * groups * width);
  }
}

// Adds in the order of build_lut: the bits of a group from the lowest up, then the groups.
const int32_t* Forward::sum_bits_directly(const int32_t* index, int rows) {
  const size_t width = plan_.first.out_padded;
  const int sources = plan_.num_sources(), blocks = int(plan_.category_first.size());
  const float* bits = parameters_ + plan_.table + plan_.category_rows * width;
  own_index_.assign(index, index + size_t(rows) * sources);
  int32_t next = 0;
  for (int r = 0; r < rows; ++r) {
    for (size_t g = 0; g < plan_.groups.size(); ++g) {
      int32_t& entry = own_index_[size_t(r) * sources + blocks + g];
      float* sum = own_lut_.data() + next * width;
      std::fill(sum, sum + width, 0.0f);
      for (uint32_t m = entry - plan_.groups[g].lut_row; m != 0; m &= m - 1) {
        const float* row = bits + (plan_.groups[g].first + std::countr_zero(m)) * width;
        for (size_t c = 0; c < width; ++c) sum[c] += row[c];
      }
      entry = next++;
    }
  }
  return own_index_.data();
}

void Forward::first_layer(const int32_t* index, const float* dense, int rows) {
  const DenseLayer& first = plan_.first;
  const bool relu = plan_.num_hidden() > 0;
  const size_t stride = strides_[0];
  float* out = hidden_[0].data();
  const bool any_sources = plan_.num_sources() > 0;
  if (any_sources || first.in == 0) {
    const bool direct = lut_ == nullptr && !plan_.groups.empty();
    Gather g;
    g.index = direct ? sum_bits_directly(index, rows) : index;
    g.num_table = int(plan_.category_first.size());
    g.num_lut = int(plan_.groups.size());
    g.source_row = first.out_padded;
    g.rows = rows;
    g.columns = first.out_padded;
    g.table = parameters_ + plan_.table;
    g.lut = direct ? own_lut_.data() : lut_;
    g.bias = parameters_ + first.bias;
    g.out = out;
    g.out_row = stride;
    g.relu = relu && first.in == 0;
    kernels().gather(g);
  }
  if (first.in > 0) {
    kernels().gemm({.rows = rows,
                    .inner = first.in,
                    .panels = first.panels(),
                    .a = dense,
                    .a_row = size_t(first.in),
                    .b = parameters_ + first.weights,
                    .b_panel = size_t(first.in) * kPanel,
                    .b_inner = kPanel,
                    .c = out,
                    .c_row = stride,
                    .c_panel = kPanel,
                    .bias = any_sources ? nullptr : parameters_ + first.bias,
                    .accumulate = any_sources,
                    .relu = relu});
  }
}

namespace {

void dense_layer(const DenseLayer& layer, const float* parameters, const float* in,
                 size_t in_stride, int rows, bool relu, float* out, size_t out_stride) {
  if (layer.panel == 1) {
    kernels().dot_rows(rows, padded(layer.in), in, in_stride, parameters + layer.weights,
                       parameters[layer.bias], out);
    return;
  }
  kernels().gemm({.rows = rows,
                  .inner = layer.in,
                  .panels = layer.panels(),
                  .a = in,
                  .a_row = in_stride,
                  .b = parameters + layer.weights,
                  .b_panel = size_t(layer.in) * kPanel,
                  .b_inner = kPanel,
                  .c = out,
                  .c_row = out_stride,
                  .c_panel = kPanel,
                  .bias = parameters + layer.bias,
                  .relu = relu});
}

}  // namespace

void Forward::run_hidden(const int32_t* index, const float* dense, int rows) {
  PENUMBRA_CHECK(rows <= tile_rows_, "more rows than the tile holds");
  first_layer(index, dense, rows);
  for (int l = 0; l + 1 < plan_.num_hidden(); ++l) {
    dense_layer(plan_.layers[l], parameters_, hidden_[l].data(), strides_[l], rows, true,
                hidden_[l + 1].data(), strides_[l + 1]);
  }
}

void Forward::run(const int32_t* index, const float* dense, int rows) {
  run_hidden(index, dense, rows);
  if (plan_.layers.empty()) return;
  const int last = plan_.num_hidden() - 1;
  dense_layer(plan_.layers[last], parameters_, hidden_[last].data(), strides_[last], rows, false,
              out_.data(), output_stride_);
}

}  // namespace penumbra::nn
