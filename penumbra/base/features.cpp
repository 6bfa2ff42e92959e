#include "penumbra/base/features.h"

#include <algorithm>

namespace penumbra {

void FeatureBatch::expand(int i, std::span<float> out) const {
  std::fill(out.begin(), out.end(), 0.0f);
  size_t offset = 0;
  const size_t blocks = layout_.categories.size();
  for (size_t b = 0; b < blocks; ++b) {
    out[offset + category_[i * blocks + b]] = 1.0f;
    offset += layout_.categories[b];
  }
  const uint32_t* words = bits_.data() + size_t(i) * layout_.words();
  for (int b = 0; b < layout_.num_bits; ++b) out[offset + b] = words[b >> 5] >> (b & 31) & 1;
  offset += layout_.num_bits;
  const float* dense = dense_.data() + size_t(i) * layout_.num_dense;
  std::copy(dense, dense + layout_.num_dense, out.begin() + offset);
}

}  // namespace penumbra
