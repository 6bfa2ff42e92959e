#include "penumbra/nn/gate.h"

#include <limits>
#include <utility>

#include "penumbra/base/error.h"

namespace penumbra::nn {

Gate::Gate(FeatureLayout layout) : layout_(std::move(layout)) {
  for (int size : layout_.categories) {
    if (num_categories_ > std::numeric_limits<int64_t>::max() / size)
      throw Error("gated functions: more combinations of categories than can be numbered");
    num_categories_ *= size;
  }
}

int64_t Gate::category(const FeatureBatch& batch, int row) const {
  const size_t blocks = layout_.categories.size();
  const int32_t* at = batch.category().data() + size_t(row) * blocks;
  int64_t code = 0;
  for (size_t i = 0; i < blocks; ++i) code = code * layout_.categories[i] + at[i];
  return code;
}

std::vector<int> Gate::blocks(int64_t category) const {
  std::vector<int> blocks(layout_.categories.size());
  for (size_t i = blocks.size(); i-- > 0; category /= layout_.categories[i])
    blocks[i] = static_cast<int>(category % layout_.categories[i]);
  return blocks;
}

void Gate::inputs(const FeatureBatch& batch, int row, std::span<float> u) const {
  const uint32_t* bits = batch.bits().data() + size_t(row) * layout_.words();
  const float* dense = batch.dense().data() + size_t(row) * layout_.num_dense;
  u[0] = 1;
  for (int b = 0; b < layout_.num_bits; ++b)
    u[1 + b] = static_cast<float>(bits[b / 32] >> (b % 32) & 1) - 0.5f;
  for (int d = 0; d < layout_.num_dense; ++d) u[1 + layout_.num_bits + d] = dense[d];
}

}  // namespace penumbra::nn
