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
  table_floats_ = size_t(plan_.table_rows) * plan_.first.out_padded;
  slot_floats_ = plan_.num_floats - table_floats_;
  const size_t slots = ThreadPool::num_chunks(batch, kSlotRows);
  gradients_.resize(slots * slot_floats_);
  errors_.resize(slots);
  first_delta_.resize(size_t(batch) * row_stride(plan_.first.out));
  mean_.resize(plan_.num_floats);
  square_.resize(plan_.num_floats);
  lut_.resize(size_t(plan_.lut_rows) * plan_.first.out_padded);
  index_.resize(size_t(batch) * plan_.num_sources());
  dense_.resize(size_t(batch) * plan_.first.in);

  if (plan_.table_rows > 0) {
    const int slices = (plan_.first.out_padded + kSliceColumns - 1) / kSliceColumns;
    for (int s = 0; s < slices; ++s) items_.push_back({Item::kTableSlice, 0, s});
  }
  items_.push_back({Item::kFirstDense, 0, 0});
  for (int l = 0; l < int(plan_.layers.size()); ++l) {
    const DenseLayer& layer = plan_.layers[l];
    transposed_.emplace_back(layer.panel == 1 ? 0 : size_t(padded(layer.in)) * layer.out);
    for (int p = 0; p < layer.panels(); ++p) items_.push_back({Item::kPanel, l, p});
  }
  refresh();
}

void Trainer::refresh() {
  build_lut(plan_, network_.packed().data(), 0, plan_.first.out_padded, lut_.data());
  for (int l = 0; l < int(plan_.layers.size()); ++l) {
    for (int p = 0; p < plan_.layers[l].panels(); ++p) transpose_panel(l, p);
  }
}

void Trainer::transpose_panel(int l, int p) {
  const DenseLayer& layer = plan_.layers[l];
  if (layer.panel == 1) return;
  const float* from = network_.packed().data() + layer.weights + size_t(p) * layer.in * kPanel;
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
  const size_t sources = plan_.num_sources(), dense = plan_.first.in;
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
                dense_.data() + (at + r) * plan_.first.in, int(tile.size()));
    error.add(output_errors(tile, *scratch, true));
    backward(*scratch, at + r, int(tile.size()), gradient);
  }
  return_scratch(std::move(scratch));
}

// Gradients of the dense layers are added to the slot's; errors of hidden units replace their
// activations once those are no longer needed.
void Trainer::backward(Scratch& scratch, size_t at, int rows, float* gradient) {
  const Kernels& k = kernels();
  Forward& forward = scratch.forward;
  auto slot = [&](size_t offset) { return gradient + (offset - table_floats_); };
  const float* delta = scratch.out_delta.data();
  size_t delta_row = forward.output_stride();
  const size_t first_row = row_stride(plan_.first.out);
  float* const first = first_delta_.data() + at * first_row;
  for (int l = int(plan_.layers.size()) - 1; l >= 0; --l) {
    const DenseLayer& layer = plan_.layers[l];
    float* h = forward.hidden(l);
    const size_t stride = forward.stride(l);
    float* previous = l == 0 ? first : h;
    if (layer.panel == 1) {
      k.weighted_sum(rows, padded(layer.in), delta, h, stride, slot(layer.weights));
      for (int r = 0; r < rows; ++r) *slot(layer.bias) += delta[r];
      k.outer(rows, padded(layer.in), delta, network_.packed().data() + layer.weights, h, previous,
              stride);
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
              .c_panel = size_t(layer.in) * kPanel,
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
              .c = previous,
              .c_row = stride,
              .c_panel = kPanel,
              .mask = h});
    }
    delta = previous;
    delta_row = stride;
  }
  if (plan_.layers.empty()) {
    std::copy_n(delta, rows * first_row, first);
    delta = first;
  }
  const DenseLayer& layer = plan_.first;
  if (layer.in > 0) {
    k.gemm({.rows = layer.in,
            .inner = rows,
            .panels = layer.panels(),
            .a = dense_.data() + at * layer.in,
            .a_row = 1,
            .a_inner = size_t(layer.in),
            .b = delta,
            .b_panel = kPanel,
            .b_inner = first_row,
            .c = slot(layer.weights),
            .c_row = kPanel,
            .c_panel = size_t(layer.in) * kPanel,
            .accumulate = true});
  }
  k.weighted_sum(rows, layer.out_padded, nullptr, delta, first_row, slot(layer.bias));
}

void Trainer::forward_backward(std::span<const int32_t> rows) {
  PENUMBRA_CHECK(rows.size() * row_stride(plan_.first.out) <= first_delta_.size(),
                 "a step takes at most the batch it was made for");
  step_rows_ = rows.size();
  for_chunks(pool_, rows.size(), kSlotRows, [&](size_t slot, size_t begin, size_t end) {
    run_slot(rows.subspan(begin, end - begin), begin, slot_gradient(slot), errors_[slot]);
  });
}

ErrorSum Trainer::evaluate(std::span<const int32_t> rows) {
  std::vector<ErrorSum> parts(ThreadPool::num_chunks(rows.size(), kSlotRows));
  for_chunks(pool_, rows.size(), kSlotRows, [&](size_t slot, size_t begin, size_t end) {
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
        dense.insert(dense.end(), values, values + plan_.first.in);
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
