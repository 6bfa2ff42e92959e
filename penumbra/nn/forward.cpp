#include "penumbra/nn/forward.h"

#include <algorithm>
#include <bit>

#include "penumbra/base/error.h"
#include "penumbra/nn/apply_layer.h"
#include "penumbra/nn/kernels.h"

namespace penumbra::nn {

void build_lut(const ParameterLayout& layout, const float* parameters, int panel, float* lut) {
  const float* bits = parameters + layout.first.weights + panel * layout.first.panel_floats() +
                      size_t(layout.category_rows) * kPanel;
  for (const BitGroup& group : layout.groups) {
    float* rows = lut + size_t(group.lut_row) * kPanel;
    std::fill_n(rows, kPanel, 0.0f);
    for (uint32_t m = 1; m < 1u << group.count; ++m) {
      const int top = std::bit_width(m) - 1;
      const float* rest = rows + (m ^ 1u << top) * kPanel;
      const float* bit = bits + size_t(group.first + top) * kPanel;
      float* to = rows + m * kPanel;
      for (int c = 0; c < kPanel; ++c) to[c] = rest[c] + bit[c];
    }
  }
}

Forward::Forward(const ParameterLayout& layout, int tile_rows)
    : layout_(layout), tile_rows_(tile_rows) {
  const int layers = std::max(1, layout.num_hidden());
  for (int l = 0; l < layers; ++l) {
    strides_.push_back(row_stride(l == 0 ? layout.first.out : layout.shape.hidden[l]));
    hidden_.emplace_back(size_t(tile_rows) * strides_.back());
  }
  if (layout.layers.empty()) {
    output_stride_ = strides_[0];
  } else {
    output_stride_ = layout.layers.back().out_padded;
    out_.resize(size_t(tile_rows) * output_stride_);
  }
}

void Forward::use(const float* parameters, int rows) {
  parameters_ = parameters;
  lut_ = nullptr;
  if (layout_.groups.empty()) return;
  const size_t groups = layout_.groups.size();
  const bool pays = rows * int(groups) * 2 >= layout_.lut_rows;
  lut_entries_ = pays ? layout_.lut_rows : (std::min(rows, tile_rows_) * int(groups)) | 1;
  own_lut_.resize(size_t(lut_entries_) * layout_.first.out_padded);
  if (!pays) return;
  for (int p = 0; p < layout_.first.panels(); ++p) {
    build_lut(layout_, parameters, p, own_lut_.data() + size_t(p) * layout_.lut_rows * kPanel);
  }
  lut_ = own_lut_.data();
}

// Adds in the order of build_lut: the bits of a group from the lowest up, then the groups.
const int32_t* Forward::sum_bits_directly(const int32_t* index, int rows) {
  const int sources = layout_.num_sources(), blocks = int(layout_.category_first.size());
  own_index_.assign(index, index + size_t(rows) * sources);
  int32_t next = 0;
  for (int r = 0; r < rows; ++r) {
    for (size_t g = 0; g < layout_.groups.size(); ++g, ++next) {
      int32_t& entry = own_index_[size_t(r) * sources + blocks + g];
      const uint32_t bits = entry - layout_.groups[g].lut_row;
      entry = next;
      for (int p = 0; p < layout_.first.panels(); ++p) {
        const float* row = parameters_ + layout_.first.weights + p * layout_.first.panel_floats() +
                           size_t(layout_.category_rows + layout_.groups[g].first) * kPanel;
        float* sum = own_lut_.data() + (size_t(p) * lut_entries_ + next) * kPanel;
        std::fill_n(sum, kPanel, 0.0f);
        for (uint32_t m = bits; m != 0; m &= m - 1) {
          const float* bit = row + std::countr_zero(m) * kPanel;
          for (int c = 0; c < kPanel; ++c) sum[c] += bit[c];
        }
      }
    }
  }
  return own_index_.data();
}

void Forward::first_layer(const int32_t* index, const float* dense, int rows) {
  const DenseLayer& first = layout_.first;
  const bool relu = layout_.num_hidden() > 0;
  const size_t stride = strides_[0];
  float* out = hidden_[0].data();
  const bool any_sources = layout_.num_sources() > 0;
  if (any_sources) {
    const bool direct = lut_ == nullptr && !layout_.groups.empty();
    Gather g;
    g.index = direct ? sum_bits_directly(index, rows) : index;
    g.num_table = int(layout_.category_first.size());
    g.num_lut = int(layout_.groups.size());
    g.rows = rows;
    g.panels = first.panels();
    g.table = parameters_ + first.weights;
    g.table_panel = first.panel_floats();
    g.lut = direct ? own_lut_.data() : lut_;
    g.lut_panel = size_t(direct ? lut_entries_ : layout_.lut_rows) * kPanel;
    g.bias = parameters_ + first.bias;
    g.out = out;
    g.out_row = stride;
    g.relu = relu && layout_.num_dense == 0;
    kernels().gather(g);
  }
  apply_dense_inputs(first, parameters_, {layout_.table_rows, layout_.num_dense, dense}, rows,
                     any_sources, relu, out, stride);
}

void Forward::run_hidden(const int32_t* index, const float* dense, int rows) {
  PENUMBRA_CHECK(rows <= tile_rows_, "more rows than the tile holds");
  first_layer(index, dense, rows);
  for (int l = 0; l + 1 < layout_.num_hidden(); ++l) {
    apply_layer(layout_.layers[l], parameters_, hidden_[l].data(), strides_[l], rows, true,
                hidden_[l + 1].data(), strides_[l + 1]);
  }
}

void Forward::run(const int32_t* index, const float* dense, int rows) {
  run_hidden(index, dense, rows);
  if (layout_.layers.empty()) return;
  const int last = layout_.num_hidden() - 1;
  apply_layer(layout_.layers[last], parameters_, hidden_[last].data(), strides_[last], rows, false,
              out_.data(), output_stride_);
}

}  // namespace penumbra::nn
