// The second phase of a training step: gradients of the first layer's table, and Adam.
#include <algorithm>
#include <cmath>

#include "penumbra/nn/parallel.h"
#include "penumbra/nn/trainer.h"

namespace penumbra::nn {

// The gradient of columns [begin, end) of the table, table_rows x kSliceColumns: errors are
// scattered to categories and to combinations of bits; a bit's row is the sum over the
// combinations that contain it.
void Trainer::scatter_slice(int begin, int end, AlignedVector<float>& slice) const {
  const size_t width = kSliceColumns;
  AlignedVector<float> lut(plan_.lut_rows * width, 0.0f);
  slice.assign(plan_.table_rows * width, 0.0f);
  Scatter s;
  s.index = index_.data();
  s.num_table = int(plan_.category_first.size());
  s.num_lut = int(plan_.groups.size());
  s.source_row = width;
  s.rows = int(step_rows_);
  s.columns = end - begin;
  s.values = first_delta_.data() + begin;
  s.values_row = row_stride(plan_.first.out);
  s.table = slice.data();
  s.lut = lut.data();
  kernels().scatter(s);
  for (const BitGroup& group : plan_.groups) {
    for (int b = 0; b < group.count; ++b) {
      float* to = slice.data() + (plan_.category_rows + group.first + b) * width;
      for (int m = 0; m < 1 << group.count; ++m) {
        if (!(m >> b & 1)) continue;
        const float* from = lut.data() + (group.lut_row + m) * width;
        for (size_t c = 0; c < width; ++c) to[c] += from[c];
      }
    }
  }
}

void Trainer::step_slice(int slice, const Adam& adam) {
  const int begin = slice * kSliceColumns;
  const int end = std::min(begin + kSliceColumns, plan_.first.out_padded);
  AlignedVector<float> gradient;
  scatter_slice(begin, end, gradient);
  Adam a = adam;
  a.rows = plan_.table_rows;
  a.columns = end - begin;
  a.row = plan_.first.out_padded;
  a.weight = network_.packed().data() + plan_.table + begin;
  a.mean = mean_.data() + plan_.table + begin;
  a.square = square_.data() + plan_.table + begin;
  a.gradient = gradient.data();
  a.gradient_row = kSliceColumns;
  kernels().adam(a);
  build_lut(plan_, network_.packed().data(), begin, end, lut_.data());
}

// Adam on `columns` parameters from `offset`, their gradient the sum over the slots in order.
void Trainer::step_block(size_t offset, int columns, Adam a) {
  a.rows = 1;
  a.columns = columns;
  a.weight = network_.packed().data() + offset;
  a.mean = mean_.data() + offset;
  a.square = square_.data() + offset;
  a.gradient = gradients_.data() + (offset - table_floats_);
  a.gradient_step = slot_floats_;
  a.num_gradients = int(ThreadPool::num_chunks(step_rows_, kSlotRows));
  kernels().adam(a);
}

void Trainer::step_panel(const Item& item, const Adam& adam) {
  const DenseLayer& layer = plan_.layers[item.layer];
  if (layer.panel == 1) {
    step_block(layer.weights, padded(layer.in), adam);
    step_block(layer.bias, kPanel, adam);
    return;
  }
  step_block(layer.weights + size_t(item.panel) * layer.in * kPanel, layer.in * kPanel, adam);
  step_block(layer.bias + item.panel * kPanel, kPanel, adam);
  transpose_panel(item.layer, item.panel);
}

ErrorSum Trainer::step(std::span<const int32_t> rows, const AdamOptions& options) {
  ErrorSum error;
  if (rows.empty()) return error;
  forward_backward(rows);
  ++steps_;
  power1_ *= options.beta1;
  power2_ *= options.beta2;
  Adam adam;
  adam.scale = float(1.0 / rows.size());
  adam.beta1 = float(options.beta1);
  adam.beta2 = float(options.beta2);
  // rate * (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon), with the corrections moved
  // out of the loop.
  adam.rate = float(options.rate * std::sqrt(1 - power2_) / (1 - power1_));
  adam.epsilon = float(options.epsilon * std::sqrt(1 - power2_));
  for_chunks(pool_, items_.size(), 1, [&](size_t, size_t begin, size_t) {
    const Item& item = items_[begin];
    if (item.kind == Item::kTableSlice) return step_slice(item.panel, adam);
    if (item.kind == Item::kPanel) return step_panel(item, adam);
    const DenseLayer& first = plan_.first;
    if (first.in > 0) step_block(first.weights, first.in * first.out_padded, adam);
    step_block(first.bias, first.out_padded, adam);
  });
  const size_t slots = ThreadPool::num_chunks(rows.size(), kSlotRows);
  for (size_t s = 0; s < slots; ++s) error.add(errors_[s]);
  return error;
}

ErrorSum Trainer::gradient(std::span<const int32_t> rows, std::span<float> plain) {
  forward_backward(rows);
  const size_t slots = ThreadPool::num_chunks(rows.size(), kSlotRows);
  AlignedVector<float> packed(plan_.num_floats, 0.0f);
  for (size_t s = 0; s < slots; ++s) {
    for (size_t i = 0; i < slot_floats_; ++i) packed[table_floats_ + i] += slot_gradient(s)[i];
  }
  const int width = plan_.first.out_padded;
  AlignedVector<float> slice;
  for (int begin = 0; plan_.table_rows > 0 && begin < width; begin += kSliceColumns) {
    const int end = std::min(begin + kSliceColumns, width);
    scatter_slice(begin, end, slice);
    for (int k = 0; k < plan_.table_rows; ++k) {
      std::copy_n(slice.data() + size_t(k) * kSliceColumns, end - begin,
                  packed.data() + plan_.table + size_t(k) * width + begin);
    }
  }
  const float scale = float(1.0 / rows.size());
  size_t next = 0;
  plan_.for_each_plain([&](size_t at) { plain[next++] = scale * packed[at]; });
  ErrorSum error;
  for (size_t s = 0; s < slots; ++s) error.add(errors_[s]);
  return error;
}

}  // namespace penumbra::nn
