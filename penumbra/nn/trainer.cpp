#include "penumbra/nn/trainer.h"

#include <algorithm>
#include <cmath>

#include "penumbra/base/error.h"
#include "penumbra/nn/parallel.h"

namespace penumbra::nn {
namespace {

constexpr int kTrainTile = 128;

}  // namespace

Trainer::Trainer(Mlp& network, const TrainingData& data, Loss loss, int batch, ThreadPool* pool)
    : network_(network), plan_(network.plan()), data_(data), loss_(loss), pool_(pool) {
  PENUMBRA_CHECK(batch > 0, "a batch has at least one row");
  batch_ = batch;
  delta_rows_ = batch_ | 1;  // odd, for the same reason as in plan.cpp
  dense_floats_ = size_t(plan_.num_dense) * plan_.first.out_padded;
  slot_floats_ = slot_offset(plan_.num_floats);
  const size_t slots = ThreadPool::num_chunks(batch, kSlotRows);
  gradients_.resize(slots * slot_floats_);
  errors_.resize(slots);
  first_delta_.resize(delta_rows_ * plan_.first.out_padded);
  mean_.resize(plan_.num_floats);
  square_.resize(plan_.num_floats);
  lut_.resize(size_t(plan_.lut_rows) * plan_.first.out_padded);
  index_.resize(batch_ * plan_.num_sources());
  dense_.resize(batch_ * plan_.num_dense);

  for (int p = 0; p < plan_.first.panels(); p += 2) items_.push_back({-1, p});
  for (int l = 0; l < int(plan_.layers.size()); ++l) {
    const DenseLayer& layer = plan_.layers[l];
    transposed_.emplace_back(layer.panel == 1 ? 0 : size_t(padded(layer.in)) * layer.out);
    for (int p = 0; p < layer.panels(); ++p) items_.push_back({l, p});
  }
  refresh();
}

void Trainer::refresh() {
  for (int p = 0; p < plan_.first.panels(); ++p) build_lut_panel(p);
  for (int l = 0; l < int(plan_.layers.size()); ++l) {
    for (int p = 0; p < plan_.layers[l].panels(); ++p) transpose_panel(l, p);
  }
}

void Trainer::build_lut_panel(int p) {
  build_lut(plan_, network_.packed().data(), p, lut_.data() + size_t(p) * plan_.lut_rows * kPanel);
}

void Trainer::transpose_panel(int l, int p) {
  const DenseLayer& layer = plan_.layers[l];
  if (layer.panel == 1) return;
  const float* from = network_.packed().data() + layer.weights + p * layer.panel_floats();
  const int columns = std::min(kPanel, layer.out - p * kPanel);
  for (int k = 0; k < layer.in; ++k) {
    float* to = transposed_[l].data() + size_t(k / kPanel) * layer.out * kPanel + k % kPanel;
    for (int n = 0; n < columns; ++n) to[size_t(p * kPanel + n) * kPanel] = from[k * kPanel + n];
  }
}

std::unique_ptr<Trainer::Scratch> Trainer::take_scratch() {
  {
    std::lock_guard lock(mutex_);
    if (!scratch_.empty()) {
      auto scratch = std::move(scratch_.back());
      scratch_.pop_back();
      return scratch;
    }
  }
  auto scratch = std::make_unique<Scratch>(plan_, kTrainTile);
  scratch->out_delta.resize(size_t(kTrainTile) * scratch->forward.output_stride());
  return scratch;
}

void Trainer::return_scratch(std::unique_ptr<Scratch> scratch) {
  std::lock_guard lock(mutex_);
  scratch_.push_back(std::move(scratch));
}

// Copies what the first layer reads of these rows to places at, at + 1, ... of the step.
void Trainer::load_rows(std::span<const int32_t> rows, size_t at) {
  const size_t sources = plan_.num_sources(), dense = plan_.num_dense;
  for (size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(data_.inputs->index(rows[i]), sources, index_.data() + (at + i) * sources);
    std::copy_n(data_.inputs->dense(rows[i]), dense, dense_.data() + (at + i) * dense);
  }
}

// Compares the outputs of a tile with the targets; leaves the slopes of the loss in out_delta.
ErrorSum Trainer::output_errors(std::span<const int32_t> rows, Scratch& scratch, bool want_delta) {
  const int outputs = plan_.shape.outputs;
  const size_t stride = scratch.forward.output_stride();
  ErrorSum total;
  float* delta = scratch.out_delta.data();
  const bool single_head = !data_.heads.empty();
  if (want_delta && (single_head || stride > 1)) {
    std::fill_n(delta, rows.size() * stride, 0.0f);
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    const int32_t row = rows[i];
    const float weight = data_.weights.empty() ? 1.0f : data_.weights[row];
    const float* out = scratch.forward.outputs() + i * stride;
    const int begin = single_head ? data_.heads[row] : 0;
    const int end = single_head ? begin + 1 : outputs;
    for (int o = begin; o < end; ++o) {
      const float target = data_.targets[single_head ? row : size_t(row) * outputs + o];
      const float e = out[o] - target;
      const double unit = data_.error_unit.empty() ? 1.0 : data_.error_unit[o];
      total.squared += weight * (e * unit) * (e * unit);
      total.weight += weight;
      if (want_delta) delta[i * stride + o] = weight * loss_.slope(e);
    }
  }
  return total;
}

void Trainer::run_slot(std::span<const int32_t> rows, size_t at, float* gradient, ErrorSum& error) {
  auto scratch = take_scratch();
  Forward& forward = scratch->forward;
  forward.use(network_.packed().data(), lut_.data());
  std::fill_n(gradient, slot_floats_, 0.0f);
  error = {};
  load_rows(rows, at);
  for (size_t r = 0; r < rows.size(); r += kTrainTile) {
    const auto tile = rows.subspan(r, std::min<size_t>(kTrainTile, rows.size() - r));
    forward.run(index_.data() + (at + r) * plan_.num_sources(),
                dense_.data() + (at + r) * plan_.num_dense, int(tile.size()));
    error.add(output_errors(tile, *scratch, true));
    backward(*scratch, at + r, int(tile.size()), gradient);
  }
  return_scratch(std::move(scratch));
}

// Gradients of the dense layers are added to the slot's; errors of hidden units replace their
// activations once those are no longer needed, those of the first layer are kept for phase 2.
void Trainer::backward(Scratch& scratch, size_t at, int rows, float* gradient) {
  const Kernels& k = kernels();
  Forward& forward = scratch.forward;
  auto slot = [&](size_t parameter) { return gradient + slot_offset(parameter); };
  const float* delta = scratch.out_delta.data();
  size_t delta_row = forward.output_stride();
  float* const first = first_delta_.data() + at * kPanel;
  for (int l = int(plan_.layers.size()) - 1; l >= 0; --l) {
    const DenseLayer& layer = plan_.layers[l];
    float* h = forward.hidden(l);
    const size_t stride = forward.stride(l);
    if (layer.panel == 1) {
      k.weighted_sum(rows, padded(layer.in), delta, h, stride, slot(layer.weights));
      for (int r = 0; r < rows; ++r) *slot(layer.bias) += delta[r];
      k.outer(rows, padded(layer.in), delta, network_.packed().data() + layer.weights, h, h,
              stride);
      if (l == 0) split_panels(h, stride, rows, first);
    } else {
      k.gemm({.rows = layer.in,
              .inner = rows,
              .panels = layer.panels(),
              .a = h,
              .a_row = 1,
              .a_inner = stride,
              .b = delta,
              .b_panel = kPanel,
              .b_inner = delta_row,
              .c = slot(layer.weights),
              .c_row = kPanel,
              .c_panel = layer.panel_floats(),
              .accumulate = true});
      k.weighted_sum(rows, layer.out_padded, nullptr, delta, delta_row, slot(layer.bias));
      k.gemm({.rows = rows,
              .inner = layer.out,
              .panels = padded(layer.in) / kPanel,
              .a = delta,
              .a_row = delta_row,
              .b = transposed_[l].data(),
              .b_panel = size_t(layer.out) * kPanel,
              .b_inner = kPanel,
              .c = l == 0 ? first : h,
              .c_row = l == 0 ? kPanel : stride,
              .c_panel = l == 0 ? delta_rows_ * kPanel : kPanel,
              .mask = h,
              .mask_row = stride,
              .mask_panel = kPanel});
    }
    delta = h;
    delta_row = stride;
  }
  if (plan_.layers.empty()) split_panels(delta, delta_row, rows, first);
  first_gradients(at, rows, gradient);
}

// From rows of a tile to the panels of first_delta_.
void Trainer::split_panels(const float* from, size_t row, int rows, float* to) const {
  for (int p = 0; p < plan_.first.panels(); ++p) {
    for (int r = 0; r < rows; ++r) {
      std::copy_n(from + r * row + p * kPanel, kPanel, to + (p * delta_rows_ + r) * kPanel);
    }
  }
}

// Dense rows and biases of the first layer.
void Trainer::first_gradients(size_t at, int rows, float* gradient) const {
  const int dense = plan_.num_dense;
  const float* delta = first_delta_.data() + at * kPanel;
  if (dense > 0) {
    kernels().gemm({.rows = dense,
                    .inner = rows,
                    .panels = plan_.first.panels(),
                    .a = dense_.data() + at * dense,
                    .a_row = 1,
                    .a_inner = size_t(dense),
                    .b = delta,
                    .b_panel = delta_rows_ * kPanel,
                    .b_inner = kPanel,
                    .c = gradient,
                    .c_row = kPanel,
                    .c_panel = size_t(dense) * kPanel,
                    .accumulate = true});
  }
  float* bias = gradient + slot_offset(plan_.first.bias);
  for (int p = 0; p < plan_.first.panels(); ++p) {
    kernels().weighted_sum(rows, kPanel, nullptr, delta + p * delta_rows_ * kPanel, kPanel,
                           bias + p * kPanel);
  }
}

void Trainer::forward_backward(std::span<const int32_t> rows) {
  PENUMBRA_CHECK(rows.size() <= batch_, "a step takes at most the batch it was made for");
  step_rows_ = rows.size();
  for_chunks(pool_, rows.size(), kSlotRows, [&](size_t slot, size_t begin, size_t end) {
    run_slot(rows.subspan(begin, end - begin), begin, gradients_.data() + slot * slot_floats_,
             errors_[slot]);
  });
}

ErrorSum Trainer::evaluate(std::span<const int32_t> rows, const Stop& stop) {
  std::vector<ErrorSum> parts(ThreadPool::num_chunks(rows.size(), kSlotRows));
  for_chunks(pool_, rows.size(), kSlotRows, [&](size_t slot, size_t begin, size_t end) {
    if (asked_to_stop(stop)) return;
    auto scratch = take_scratch();
    scratch->forward.use(network_.packed().data(), lut_.data());
    std::vector<int32_t> index;
    std::vector<float> dense;
    for (size_t r = begin; r < end; r += kTrainTile) {
      const auto tile = rows.subspan(r, std::min<size_t>(kTrainTile, end - r));
      index.clear();
      dense.clear();
      for (int32_t row : tile) {
        const int32_t* from = data_.inputs->index(row);
        index.insert(index.end(), from, from + plan_.num_sources());
        const float* values = data_.inputs->dense(row);
        dense.insert(dense.end(), values, values + plan_.num_dense);
      }
      scratch->forward.run(index.data(), dense.data(), int(tile.size()));
      parts[slot].add(output_errors(tile, *scratch, false));
    }
    return_scratch(std::move(scratch));
  });
  ErrorSum total;
  for (const ErrorSum& part : parts) total.add(part);
  return total;
}

}  // namespace penumbra::nn
