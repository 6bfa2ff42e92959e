// The typed input of a network: categorical blocks (one-hot groups kept as indices), bits and
// dense values. A first layer gathers rows for the first two instead of multiplying with zeros.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace penumbra {

// What one state looks like to a network.
struct FeatureLayout {
  std::vector<int> categories;  // the size of each one-hot block
  int num_bits = 0;             // binary values, packed 32 to a word, lowest bit first
  int num_dense = 0;

  int words() const { return (num_bits + 31) / 32; }
  // The length of the plain vector: one-hot blocks, then bits, then dense values.
  int width() const {
    int total = num_bits + num_dense;
    for (int size : categories) total += size;
    return total;
  }
  bool empty() const { return width() == 0; }
  bool operator==(const FeatureLayout&) const = default;
};

// One row to fill in.
struct FeatureRow {
  std::span<int32_t> category;  // one index per block, 0 <= category[i] < layout.categories[i]
  std::span<uint32_t> bits;
  std::span<float> dense;

  void set_bit(int i, bool value = true) {
    const uint32_t mask = 1u << (i & 31);
    bits[i >> 5] = value ? bits[i >> 5] | mask : bits[i >> 5] & ~mask;
  }
};

// Many rows, each part contiguous and row-major. Rows start out as zeros.
class FeatureBatch {
 public:
  FeatureBatch() = default;
  explicit FeatureBatch(FeatureLayout layout, int rows = 0) : layout_(std::move(layout)) {
    resize(rows);
  }

  void resize(int rows) {
    rows_ = rows;
    category_.assign(size_t(rows) * layout_.categories.size(), 0);
    bits_.assign(size_t(rows) * layout_.words(), 0);
    dense_.assign(size_t(rows) * layout_.num_dense, 0.0f);
  }
  int rows() const { return rows_; }
  const FeatureLayout& layout() const { return layout_; }

  FeatureRow row(int i) {
    const size_t c = layout_.categories.size(), w = layout_.words(), d = layout_.num_dense;
    return {{category_.data() + i * c, c}, {bits_.data() + i * w, w}, {dense_.data() + i * d, d}};
  }
  std::span<const int32_t> category() const { return category_; }
  std::span<const uint32_t> bits() const { return bits_; }
  std::span<const float> dense() const { return dense_; }

  // Writes row i as a plain vector of layout().width() floats: for reference code and tests.
  void expand(int i, std::span<float> out) const;

 private:
  FeatureLayout layout_;
  int rows_ = 0;
  std::vector<int32_t> category_;
  std::vector<uint32_t> bits_;
  std::vector<float> dense_;
};

}  // namespace penumbra
