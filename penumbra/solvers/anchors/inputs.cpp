#include "penumbra/solvers/anchors/inputs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>

namespace penumbra::anchors {
namespace {

constexpr size_t kFewValues = 8;  // of a discrete dense feature, at most
constexpr float kConstant = 1e-6f;

uint64_t stir(uint64_t code, uint64_t word) {
  return RngKey::mix(code ^ (word + 0x9e3779b97f4a7c15u));
}

}  // namespace

Inputs::Inputs(const Pomdp& model, ConstRecords sample)
    : model_(&model),
      layout_(model.features()),
      discrete_(layout_.num_dense, 0),
      gates_(layout_.categories.size(), 1) {
  FeatureBatch batch(layout_, static_cast<int>(sample.count));
  model.encode(sample, batch);
  find_discrete(batch);
  find_repeated_categories(batch);
  set_scale(batch);
}

void Inputs::find_discrete(const FeatureBatch& sample) {
  const std::span<const float> dense = sample.dense();
  for (int d = 0; d < layout_.num_dense; ++d) {
    std::set<float> values;
    for (int i = 0; i < sample.rows() && values.size() <= kFewValues; ++i)
      values.insert(dense[size_t(i) * layout_.num_dense + d]);
    // A few states show a few values of anything.
    discrete_[d] = values.size() <= kFewValues && sample.rows() > 4 * int(kFewValues);
  }
}

// Sorted by the dense feature that it repeats, a category has one run of each value.
void Inputs::find_repeated_categories(const FeatureBatch& sample) {
  const size_t categories = layout_.categories.size(), width = layout_.num_dense;
  const std::span<const float> dense = sample.dense();
  const std::span<const int32_t> category = sample.category();
  std::vector<int> order(sample.rows());
  for (size_t d = 0; d < width; ++d) {
    if (discrete_[d]) continue;
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return dense[a * width + d] < dense[b * width + d]; });
    for (size_t c = 0; c < categories; ++c) {
      std::set<int32_t> values;
      size_t runs = 0;
      for (size_t i = 0; i < order.size(); ++i) {
        const int32_t value = category[order[i] * categories + c];
        values.insert(value);
        runs += i == 0 || value != category[order[i - 1] * categories + c];
      }
      if (runs == values.size() && values.size() > kFewValues) gates_[c] = 0;
    }
  }
}

void Inputs::set_scale(const FeatureBatch& sample) {
  const std::span<const float> dense = sample.dense();
  for (int d = 0; d < layout_.num_dense; ++d) {
    if (discrete_[d]) continue;
    double sum = 0, squares = 0;
    for (int i = 0; i < sample.rows(); ++i) {
      const double x = dense[size_t(i) * layout_.num_dense + d];
      sum += x;
      squares += x * x;
    }
    const double mean = sum / sample.rows();
    const double deviation = std::sqrt(std::max(0.0, squares / sample.rows() - mean * mean));
    if (!(deviation > kConstant)) continue;
    source_.push_back(d);
    shift_.push_back(static_cast<float>(mean));
    scale_.push_back(static_cast<float>(1 / deviation));
  }
}

void Inputs::stretch(std::span<const float> factor) {
  for (size_t i = 0; i < scale_.size(); ++i) scale_[i] *= factor[i];
}

InputRows Inputs::encode(ConstRecords states) const {
  FeatureBatch batch(layout_, static_cast<int>(states.count));
  model_->encode(states, batch);
  InputRows out;
  out.code.reserve(states.count);
  out.x.reserve(states.count * source_.size());
  for (size_t i = 0; i < states.count; ++i) {
    const FeatureRow row = batch.row(static_cast<int>(i));
    uint64_t code = 0;
    for (size_t c = 0; c < gates_.size(); ++c)
      if (gates_[c]) code = stir(code, static_cast<uint32_t>(row.category[c]));
    for (uint32_t word : row.bits) code = stir(code, word);
    for (int d = 0; d < layout_.num_dense; ++d)
      if (discrete_[d]) code = stir(code, std::bit_cast<uint32_t>(row.dense[d] + 0.0f));
    out.code.push_back(code);
    for (size_t k = 0; k < source_.size(); ++k)
      out.x.push_back((row.dense[source_[k]] - shift_[k]) * scale_[k]);
  }
  return out;
}

}  // namespace penumbra::anchors
