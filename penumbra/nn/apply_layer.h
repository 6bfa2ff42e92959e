// Dense layers on rows, with the packed parameters of layout.h.
#pragma once

#include "penumbra/nn/kernels.h"
#include "penumbra/nn/parameter_layout.h"

namespace penumbra::nn {

// out = in W + bias.
inline void apply_layer(const DenseLayer& layer, const float* parameters, const float* in,
                        size_t in_row, int rows, bool relu, float* out, size_t out_row) {
  if (layer.panel == 1) {
    kernels().dot_rows(rows, padded(layer.in), in, in_row, parameters + layer.weights,
                       parameters[layer.bias], out);
    return;
  }
  kernels().gemm({.rows = rows,
                  .inner = layer.in,
                  .panels = layer.panels(),
                  .a = in,
                  .a_row = in_row,
                  .b = parameters + layer.weights,
                  .b_panel = layer.panel_floats(),
                  .b_inner = kPanel,
                  .c = out,
                  .c_row = out_row,
                  .c_panel = kPanel,
                  .bias = parameters + layer.bias,
                  .relu = relu});
}

// The dense values that a first layer reads: its rows from `first_row` on belong to them.
struct DenseInputs {
  int first_row = 0, count = 0;
  const float* values = nullptr;  // `count` a row
};

// Their share of a first layer. With `gathered` it is added to what is in `out`, bias included.
inline void apply_dense_inputs(const DenseLayer& first, const float* parameters,
                               const DenseInputs& in, int rows, bool gathered, bool relu,
                               float* out, size_t out_row) {
  if (in.count == 0) return;
  kernels().gemm({.rows = rows,
                  .inner = in.count,
                  .panels = first.panels(),
                  .a = in.values,
                  .a_row = size_t(in.count),
                  .b = parameters + first.weights + size_t(in.first_row) * kPanel,
                  .b_panel = first.panel_floats(),
                  .b_inner = kPanel,
                  .c = out,
                  .c_row = out_row,
                  .c_panel = kPanel,
                  .bias = gathered ? nullptr : parameters + first.bias,
                  .accumulate = gathered,
                  .relu = relu});
}

}  // namespace penumbra::nn
