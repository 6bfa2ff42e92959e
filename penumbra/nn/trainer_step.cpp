// The second phase of a training step: gradients of the first layer's table, and Adam.
#include <algorithm>
#include <cmath>

#include "penumbra/nn/parallel.h"
#include "penumbra/nn/trainer.h"

namespace penumbra::nn {
namespace {

// From sums over combinations to sums over bits. The upper half of the combinations contains the
// highest bit; added to the lower half it leaves the same problem with one bit less.
void fold_bits(const BitGroup& group, float* lut, float* bits) {
  for (int b = group.count - 1; b >= 0; --b) {
    const size_t half = size_t{1} << b;
    float* to = bits + size_t(b) * kPanel;
    for (size_t m = 0; m < half; ++m) {
      float* low = lut + m * kPanel;
      const float* high = lut + (half + m) * kPanel;
      for (int c = 0; c < kPanel; ++c) {
        to[c] += high[c];
        low[c] += high[c];
      }
    }
  }
}

}  // namespace

// The gradients of some panels of the first layer's categories and bits, each table_rows x kPanel.
// Errors are scattered to categories and to combinations of bits; a bit's row is the sum over the
// combinations that contain it.
AlignedVector<float> Trainer::scatter_panels(int panel, int count) const {
  const size_t table = size_t(layout_.table_rows) * kPanel,
               luts = size_t(layout_.lut_rows) * kPanel;
  AlignedVector<float> gradient(table * count, 0.0f), lut(luts * count, 0.0f);
  Scatter s;
  s.index = index_.data();
  s.num_table = int(layout_.category_first.size());
  s.num_lut = int(layout_.groups.size());
  s.rows = int(step_rows_);
  s.panels = count;
  s.values = first_delta_.data() + panel * delta_rows_ * kPanel;
  s.values_panel = delta_rows_ * kPanel;
  s.table = gradient.data();
  s.table_panel = table;
  s.lut = lut.data();
  s.lut_panel = luts;
  kernels().scatter(s);
  for (int p = 0; p < count; ++p) {
    float* bits = gradient.data() + p * table + size_t(layout_.category_rows) * kPanel;
    for (const BitGroup& group : layout_.groups) {
      fold_bits(group, lut.data() + p * luts + size_t(group.lut_row) * kPanel,
                bits + size_t(group.first) * kPanel);
    }
  }
  return gradient;
}

// Adam on `columns` parameters from `offset`, their gradient the sum over the slots in order.
void Trainer::step_block(size_t offset, int columns, size_t slot_at, Adam a) {
  a.rows = 1;
  a.columns = columns;
  a.weight = network_.packed().data() + offset;
  a.mean = mean_.data() + offset;
  a.square = square_.data() + offset;
  a.gradient = gradients_.data() + slot_at;
  a.gradient_step = slot_floats_;
  a.num_gradients = int(ThreadPool::num_chunks(step_rows_, kSlotRows));
  kernels().adam(a);
}

void Trainer::step_first(int panel, int count, const Adam& adam) {
  const DenseLayer& first = layout_.first;
  const size_t table = size_t(layout_.table_rows) * kPanel;
  AlignedVector<float> gradient;
  if (table > 0) gradient = scatter_panels(panel, count);
  for (int p = panel; p < panel + count; ++p) {
    const size_t offset = first.weights + p * first.panel_floats();
    if (table > 0) {
      Adam a = adam;
      a.rows = 1;
      a.columns = int(table);
      a.weight = network_.packed().data() + offset;
      a.mean = mean_.data() + offset;
      a.square = square_.data() + offset;
      a.gradient = gradient.data() + (p - panel) * table;
      kernels().adam(a);
      build_lut_panel(p);
    }
    if (layout_.num_dense > 0) {
      step_block(offset + table, layout_.num_dense * kPanel, slot_dense(p), adam);
    }
    const size_t bias = first.bias + p * kPanel;
    step_block(bias, kPanel, slot_offset(bias), adam);
  }
}

void Trainer::step_panel(const Item& item, const Adam& adam) {
  const DenseLayer& layer = layout_.layers[item.layer];
  const int columns = layer.panel == 1 ? padded(layer.in) : layer.in * kPanel;
  const size_t weights = layer.weights + item.panel * layer.panel_floats();
  const size_t bias = layer.bias + item.panel * kPanel;
  step_block(weights, columns, slot_offset(weights), adam);
  step_block(bias, kPanel, slot_offset(bias), adam);
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
    if (item.layer < 0) {
      step_first(item.panel, std::min(2, layout_.first.panels() - item.panel), adam);
    } else {
      step_panel(item, adam);
    }
  });
  const size_t slots = ThreadPool::num_chunks(rows.size(), kSlotRows);
  for (size_t s = 0; s < slots; ++s) error.add(errors_[s]);
  return error;
}

ErrorSum Trainer::gradient(std::span<const int32_t> rows, std::span<float> plain) {
  forward_backward(rows);
  const size_t slots = ThreadPool::num_chunks(rows.size(), kSlotRows);
  const DenseLayer& first = layout_.first;
  AlignedVector<float> packed(layout_.num_floats, 0.0f);
  for (size_t s = 0; s < slots; ++s) {
    const float* slot = gradients_.data() + s * slot_floats_;
    for (size_t i = first.bias; i < layout_.num_floats; ++i) packed[i] += slot[slot_offset(i)];
    for (int p = 0; p < first.panels(); ++p) {
      float* dense = packed.data() + first.weights + p * first.panel_floats() +
                     size_t(layout_.table_rows) * kPanel;
      for (int i = 0; i < layout_.num_dense * kPanel; ++i) dense[i] += slot[slot_dense(p) + i];
    }
  }
  for (int p = 0; p < first.panels() && layout_.table_rows > 0; ++p) {
    const AlignedVector<float> table = scatter_panels(p, 1);
    std::copy(table.begin(), table.end(),
              packed.begin() + first.weights + p * first.panel_floats());
  }
  const float scale = float(1.0 / rows.size());
  size_t next = 0;
  layout_.for_each_plain([&](size_t at) { plain[next++] = scale * packed[at]; });
  ErrorSum error;
  for (size_t s = 0; s < slots; ++s) error.add(errors_[s]);
  return error;
}

}  // namespace penumbra::nn
