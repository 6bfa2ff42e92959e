#include "penumbra/nn/gru_sequence.h"

#include <algorithm>

#include "penumbra/base/error.h"
#include "penumbra/nn/apply_layer.h"
#include "penumbra/nn/gru_kernels.h"
#include "penumbra/nn/kernels.h"

namespace penumbra::nn {
namespace {

constexpr int kTile = 96;

// Adds in^T slope to the columns of a layer's gradient from panel `panel` on.
void add_weights(const DenseLayer& layer, const float* in, size_t in_row, const float* slope,
                 size_t slope_row, int rows, int panel, int panels, float* gradient) {
  kernels().gemm({.rows = layer.in,
                  .inner = rows,
                  .panels = panels,
                  .a = in,
                  .a_row = 1,
                  .a_inner = in_row,
                  .b = slope,
                  .b_panel = kPanel,
                  .b_inner = slope_row,
                  .c = gradient + layer.weights + panel * layer.panel_floats(),
                  .c_row = kPanel,
                  .c_panel = layer.panel_floats(),
                  .accumulate = true});
  kernels().weighted_sum(rows, panels * kPanel, nullptr, slope, slope_row,
                         gradient + layer.bias + panel * kPanel);
}

// Panels of `hidden` columns, one row per column of the layer.
void transpose(const DenseLayer& layer, const float* parameters, AlignedVector<float>& to) {
  for (int k = 0; k < layer.in; ++k) {
    float* column = to.data() + size_t(k / kPanel) * layer.out * kPanel + k % kPanel;
    for (int n = 0; n < layer.out; ++n) column[size_t(n) * kPanel] = parameters[layer.weight(k, n)];
  }
}

}  // namespace

TransposedNet::TransposedNet(const RecurrentLayout& layout) : layout_(layout) {
  auto size = [](const DenseLayer& layer) { return size_t(layer.in) * layer.out; };
  input_.resize(size(layout.input));
  state_.resize(size(layout.state));
  after_.resize(size(layout.after));
  head_.resize(size(layout.head));
}

void TransposedNet::refresh(const float* parameters) {
  transpose(layout_.input, parameters, input_);
  transpose(layout_.state, parameters, state_);
  transpose(layout_.after, parameters, after_);
  transpose(layout_.head, parameters, head_);
}

GruSequence::GruSequence(const RecurrentLayout& layout, int lanes, int steps)
    : layout_(layout),
      stride_(row_stride(layout.shape.hidden)),
      gates_stride_(row_stride(3 * layout.shape.hidden)),
      out_stride_(row_stride(layout.head.out_padded)) {
  const size_t rows = size_t(lanes) * steps;
  for (AlignedVector<float>* part : {&first_, &side_n_, &prior_, &memory_, &after_})
    part->resize(rows * stride_);
  gates_.resize(rows * gates_stride_);
  out_.resize(rows * out_stride_);
  out_slope_.resize(rows * out_stride_);
  side_.resize(lanes * gates_stride_);
  carry_.resize(lanes * stride_);
  panels_.resize(size_t(kTile | 1) * layout.shape.hidden);
}

void GruSequence::first_layer(const float* parameters, const SequenceInput& in, int row, int rows) {
  const DenseLayer& first = layout_.first;
  const bool gathers = layout_.num_blocks() > 0;
  float* out = first_.data() + row * stride_;
  if (gathers) {
    Gather g;
    g.index = in.index + size_t(row) * layout_.num_blocks();
    g.num_table = layout_.num_blocks();
    g.rows = rows;
    g.panels = first.panels();
    g.table = g.lut = parameters + first.weights;
    g.table_panel = first.panel_floats();
    g.bias = parameters + first.bias;
    g.out = out;
    g.out_row = stride_;
    g.relu = layout_.num_dense() == 0;
    kernels().gather(g);
  }
  const float* dense = in.dense + size_t(row) * layout_.num_dense();
  apply_dense_inputs(first, parameters, {layout_.category_rows, layout_.num_dense(), dense}, rows,
                     gathers, true, out, stride_);
}

void GruSequence::forward(const float* parameters, const SequenceInput& in) {
  PENUMBRA_CHECK(in.rows() * stride_ <= memory_.size() && in.lanes * stride_ <= carry_.size(),
                 "more rows than there is room for");
  for (int row = 0; row < in.rows(); row += kTile) {
    const int rows = std::min(kTile, in.rows() - row);
    first_layer(parameters, in, row, rows);
    apply_layer(layout_.input, parameters, first_.data() + row * stride_, stride_, rows, false,
                gates_.data() + row * gates_stride_, gates_stride_);
  }
  through_time(parameters, in);
  for (int row = 0; row < in.rows(); row += kTile) {
    const int rows = std::min(kTile, in.rows() - row);
    apply_layer(layout_.after, parameters, memory_.data() + row * stride_, stride_, rows, true,
                after_.data() + row * stride_, stride_);
    apply_layer(layout_.head, parameters, after_.data() + row * stride_, stride_, rows, false,
                out_.data() + row * out_stride_, out_stride_);
  }
}

void GruSequence::through_time(const float* parameters, const SequenceInput& in) {
  const int h = layout_.shape.hidden;
  for (int t = 0; t < in.steps; ++t) {
    const size_t row = size_t(t) * in.lanes;
    float* prior = prior_.data() + row * stride_;
    for (int i = 0; i < in.lanes; ++i) {
      const float* before =
          t == 0 ? in.memory + size_t(i) * h : memory_.data() + (row - in.lanes + i) * stride_;
      if (in.starts[row + i])
        std::fill_n(prior + i * stride_, h, 0.0f);
      else
        std::copy_n(before, h, prior + i * stride_);
    }
    apply_layer(layout_.state, parameters, prior, stride_, in.lanes, false, side_.data(),
                gates_stride_);
    gru_kernels().forward({.rows = in.lanes,
                           .width = h,
                           .gates = gates_.data() + row * gates_stride_,
                           .side = side_.data(),
                           .side_n = side_n_.data() + row * stride_,
                           .prior = prior,
                           .memory = memory_.data() + row * stride_,
                           .gates_row = gates_stride_,
                           .side_row = gates_stride_,
                           .row = stride_});
  }
}

void GruSequence::backward(const TransposedNet& t, const SequenceInput& in, float* gradient) {
  for (int row = 0; row < in.rows(); row += kTile)
    back_from_head(t, row, std::min(kTile, in.rows() - row), gradient);
  back_through_time(t, in);
  for (int row = 0; row < in.rows(); row += kTile)
    back_to_inputs(t, in, row, std::min(kTile, in.rows() - row), gradient);
}

// From the outputs to the memory; its slopes take the place of `after_`.
void GruSequence::back_from_head(const TransposedNet& t, int row, int rows, float* gradient) {
  const int h = layout_.shape.hidden, panels = h / kPanel;
  float* after = after_.data() + row * stride_;
  float* slope = panels_.data();  // row-major here
  const float* out = out_slope_.data() + row * out_stride_;
  add_weights(layout_.head, after, stride_, out, out_stride_, rows, 0, layout_.head.panels(),
              gradient);
  kernels().gemm({.rows = rows,
                  .inner = layout_.head.out,
                  .panels = panels,
                  .a = out,
                  .a_row = out_stride_,
                  .b = t.head_.data(),
                  .b_panel = size_t(layout_.head.out) * kPanel,
                  .b_inner = kPanel,
                  .c = slope,
                  .c_row = size_t(h),
                  .c_panel = kPanel,
                  .mask = after,
                  .mask_row = stride_,
                  .mask_panel = kPanel});
  add_weights(layout_.after, memory_.data() + row * stride_, stride_, slope, h, rows, 0, panels,
              gradient);
  kernels().gemm({.rows = rows,
                  .inner = h,
                  .panels = panels,
                  .a = slope,
                  .a_row = size_t(h),
                  .b = t.after_.data(),
                  .b_panel = size_t(h) * kPanel,
                  .b_inner = kPanel,
                  .c = after,
                  .c_row = stride_,
                  .c_panel = kPanel});
}

// Last step first. Slopes take the places of the gates and of side_n_.
void GruSequence::back_through_time(const TransposedNet& t, const SequenceInput& in) {
  const int h = layout_.shape.hidden;
  std::fill(carry_.begin(), carry_.end(), 0.0f);
  for (int step = in.steps - 1; step >= 0; --step) {
    const size_t row = size_t(step) * in.lanes;
    float* slope = after_.data() + row * stride_;
    for (int i = 0; i < in.lanes; ++i) {
      // What the next step hands back, unless an episode started there.
      if (step + 1 < in.steps && in.starts[row + in.lanes + i]) continue;
      for (int c = 0; c < h; ++c) slope[i * stride_ + c] += carry_[i * stride_ + c];
    }
    gru_kernels().backward({.rows = in.lanes,
                            .width = h,
                            .slope = slope,
                            .gates = gates_.data() + row * gates_stride_,
                            .side_n = side_n_.data() + row * stride_,
                            .prior = prior_.data() + row * stride_,
                            .carry = carry_.data(),
                            .gates_row = gates_stride_,
                            .row = stride_});
    if (step == 0) break;
    Gemm<float> g{.rows = in.lanes,
                  .inner = 2 * h,
                  .panels = h / kPanel,
                  .a = gates_.data() + row * gates_stride_,
                  .a_row = gates_stride_,
                  .b = t.state_.data(),
                  .b_panel = size_t(3 * h) * kPanel,
                  .b_inner = kPanel,
                  .c = carry_.data(),
                  .c_row = stride_,
                  .c_panel = kPanel,
                  .accumulate = true};
    kernels().gemm(g);
    g.inner = h;
    g.a = side_n_.data() + row * stride_;
    g.a_row = stride_;
    g.b += size_t(2 * h) * kPanel;
    kernels().gemm(g);
  }
}

void GruSequence::back_to_inputs(const TransposedNet& t, const SequenceInput& in, int row, int rows,
                                 float* gradient) {
  const int h = layout_.shape.hidden, panels = h / kPanel;
  const float* gates = gates_.data() + row * gates_stride_;
  const float *prior = prior_.data() + row * stride_, *side_n = side_n_.data() + row * stride_;
  float* first = first_.data() + row * stride_;
  add_weights(layout_.input, first, stride_, gates, gates_stride_, rows, 0, 3 * panels, gradient);
  add_weights(layout_.state, prior, stride_, gates, gates_stride_, rows, 0, 2 * panels, gradient);
  add_weights(layout_.state, prior, stride_, side_n, stride_, rows, 2 * panels, panels, gradient);
  const size_t panel_floats = size_t(kTile | 1) * kPanel;
  kernels().gemm({.rows = rows,
                  .inner = 3 * h,
                  .panels = panels,
                  .a = gates,
                  .a_row = gates_stride_,
                  .b = t.input_.data(),
                  .b_panel = size_t(3 * h) * kPanel,
                  .b_inner = kPanel,
                  .c = panels_.data(),
                  .c_row = kPanel,
                  .c_panel = panel_floats,
                  .mask = first,
                  .mask_row = stride_,
                  .mask_panel = kPanel});
  const DenseLayer& layer = layout_.first;
  for (int p = 0; p < panels; ++p)
    kernels().weighted_sum(rows, kPanel, nullptr, panels_.data() + p * panel_floats, kPanel,
                           gradient + layer.bias + p * kPanel);
  if (layout_.num_blocks() > 0) {
    Scatter s;
    s.index = in.index + size_t(row) * layout_.num_blocks();
    s.num_table = layout_.num_blocks();
    s.rows = rows;
    s.panels = panels;
    s.values = panels_.data();
    s.values_panel = panel_floats;
    s.table = s.lut = gradient + layer.weights;
    s.table_panel = layer.panel_floats();
    kernels().scatter(s);
  }
  if (layout_.num_dense() == 0) return;
  kernels().gemm({.rows = layout_.num_dense(),
                  .inner = rows,
                  .panels = panels,
                  .a = in.dense + size_t(row) * layout_.num_dense(),
                  .a_row = 1,
                  .a_inner = size_t(layout_.num_dense()),
                  .b = panels_.data(),
                  .b_panel = panel_floats,
                  .b_inner = kPanel,
                  .c = gradient + layer.weights + size_t(layout_.category_rows) * kPanel,
                  .c_row = kPanel,
                  .c_panel = layer.panel_floats(),
                  .accumulate = true});
}

}  // namespace penumbra::nn
