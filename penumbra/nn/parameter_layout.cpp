#include "penumbra/nn/parameter_layout.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "penumbra/base/error.h"

namespace penumbra::nn {
namespace {

constexpr int kMostGroupBits = 5;

// Panels that are read side by side are an odd number of cache lines apart, so that they do not
// compete for the same few places of the first-level cache.
int odd(int rows) {
  return rows == 0 ? 0 : rows | 1;
}

size_t take(size_t& next, size_t count) {
  const size_t at = next;
  next += (count + kPanel - 1) / kPanel * kPanel;
  return at;
}

DenseLayer place(size_t& next, int in, int panel_rows, int out, bool single) {
  DenseLayer layer;
  layer.in = in;
  layer.out = out;
  layer.panel = single ? 1 : kPanel;
  layer.out_padded = single ? 1 : padded(out);
  layer.panel_rows = panel_rows;
  layer.weights = take(next, size_t(panel_rows) * layer.out_padded);
  layer.bias = take(next, layer.out_padded);
  return layer;
}

// Groups of nearly equal size: 11 bits are read as 4 + 4 + 3.
std::vector<BitGroup> group_bits(int bits) {
  std::vector<BitGroup> groups;
  const int count = (bits + kMostGroupBits - 1) / kMostGroupBits;
  int first = 0, row = 0;
  for (int g = 0; g < count; ++g) {
    const int size = (bits - first + count - g - 1) / (count - g);
    groups.push_back({first, size, row});
    first += size;
    row += 1 << size;
  }
  return groups;
}

uint32_t read_bits(const uint32_t* words, const BitGroup& group) {
  const int word = group.first >> 5, shift = group.first & 31;
  uint64_t value = words[word] >> shift;
  if (shift + group.count > 32) value |= uint64_t{words[word + 1]} << (32 - shift);
  return static_cast<uint32_t>(value) & ((1u << group.count) - 1);
}

}  // namespace

ParameterLayout::ParameterLayout(MlpShape wanted) : shape(std::move(wanted)) {
  shape.validate();
  for (int size : shape.input.categories) {
    category_first.push_back(category_rows);
    category_rows += size;
  }
  table_rows = category_rows + shape.input.num_bits;
  groups = group_bits(shape.input.num_bits);
  if (!groups.empty()) lut_rows = odd(groups.back().lut_row + (1 << groups.back().count));

  const std::vector<int>& hidden = shape.hidden;
  const int first_out = hidden.empty() ? shape.outputs : hidden[0];
  num_dense = shape.input.num_dense;
  const int inputs = table_rows + num_dense;
  first = place(num_floats, inputs, odd(inputs), first_out, false);
  for (size_t i = 0; i < hidden.size(); ++i) {
    const bool last = i + 1 == hidden.size();
    const int out = last ? shape.outputs : hidden[i + 1];
    layers.push_back(place(num_floats, hidden[i], hidden[i], out, last && out == 1));
  }
}

size_t ParameterLayout::num_plain() const {
  size_t count = size_t(first.in + 1) * first.out;
  for (const DenseLayer& layer : layers) count += size_t(layer.in + 1) * layer.out;
  return count;
}

Inputs::Inputs(const ParameterLayout& layout, const FeatureBatch& batch)
    : rows_(batch.rows()),
      num_blocks_(int(layout.category_first.size())),
      num_sources_(layout.num_sources()),
      num_dense_(layout.shape.input.num_dense) {
  if (batch.layout() != layout.shape.input) {
    throw Error("network input: the batch has " + std::to_string(batch.layout().width()) +
                " features in another layout than the network's " +
                std::to_string(layout.shape.input.width()) + "; encode states with one model");
  }
  const size_t blocks = layout.category_first.size(), words = layout.shape.input.words();
  index_.resize(size_t(rows_) * num_sources_);
  int32_t* to = index_.data();
  for (int r = 0; r < rows_; ++r) {
    const int32_t* category = batch.category().data() + r * blocks;
    for (size_t b = 0; b < blocks; ++b) {
      if (category[b] < 0 || category[b] >= layout.shape.input.categories[b]) {
        throw Error("network input: category " + std::to_string(category[b]) + " in row " +
                    std::to_string(r) + ", block " + std::to_string(b) + " of size " +
                    std::to_string(layout.shape.input.categories[b]) +
                    "; check the model's encode");
      }
      *to++ = layout.category_first[b] + category[b];
    }
    const uint32_t* bits = batch.bits().data() + r * words;
    for (const BitGroup& g : layout.groups) *to++ = g.lut_row + int32_t(read_bits(bits, g));
  }
  dense_.assign(batch.dense().begin(), batch.dense().end());
}

std::vector<int> Inputs::sort_by_category() {
  std::vector<int> order(rows_);
  std::iota(order.begin(), order.end(), 0);
  if (num_blocks_ == 0) return order;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return std::lexicographical_compare(index(a), index(a) + num_blocks_, index(b),
                                        index(b) + num_blocks_);
  });
  std::vector<int32_t> sorted_index(index_.size());
  std::vector<float> sorted_dense(dense_.size());
  for (int r = 0; r < rows_; ++r) {
    std::copy_n(index(order[r]), num_sources_, sorted_index.data() + size_t(r) * num_sources_);
    std::copy_n(dense(order[r]), num_dense_, sorted_dense.data() + size_t(r) * num_dense_);
  }
  index_.swap(sorted_index);
  dense_.swap(sorted_dense);
  return order;
}

bool Inputs::finite() const {
  for (float x : dense_) {
    if (!std::isfinite(x)) return false;
  }
  return true;
}

}  // namespace penumbra::nn
