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
constexpr float kIrrelevant = 0.1f;

uint64_t stir(uint64_t code, uint64_t word) {
  return RngKey::mix(code ^ (word + 0x9e3779b97f4a7c15u));
}

}  // namespace

Inputs::Inputs(const Pomdp& model, ConstRecords sample)
    : model_(&model),
      layout_(model.features()),
      coordinates_(model.has(Capability::kCoordinates)),
      columns_(coordinates_ ? model.num_coordinates() : layout_.num_dense),
      discrete_(columns_, 0),
      gates_(layout_.categories.size(), 1) {
  FeatureBatch batch(layout_, static_cast<int>(sample.count));
  model.encode(sample, batch);
  const std::vector<float> x = continuous(sample, batch);
  find_discrete(x, sample.count);
  find_repeated_categories(batch, x);
  set_scale(x, sample.count);
}

std::vector<float> Inputs::continuous(ConstRecords states, const FeatureBatch& features) const {
  if (!coordinates_) return {features.dense().begin(), features.dense().end()};
  std::vector<float> x(states.count * columns_);
  model_->coordinates(states, x);
  return x;
}

void Inputs::find_discrete(const std::vector<float>& x, size_t rows) {
  if (coordinates_ || rows <= 4 * kFewValues) return;  // few states show few values of anything
  for (size_t d = 0; d < columns_; ++d) {
    std::set<float> values;
    for (size_t i = 0; i < rows && values.size() <= kFewValues; ++i)
      values.insert(x[i * columns_ + d]);
    discrete_[d] = values.size() <= kFewValues;
  }
}

// Sorted by the column that it repeats, a category has one run of each value.
void Inputs::find_repeated_categories(const FeatureBatch& sample, const std::vector<float>& x) {
  const size_t categories = layout_.categories.size();
  const std::span<const int32_t> category = sample.category();
  std::vector<int> order(sample.rows());
  for (size_t d = 0; d < columns_; ++d) {
    if (discrete_[d]) continue;
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return x[a * columns_ + d] < x[b * columns_ + d]; });
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

void Inputs::set_scale(const std::vector<float>& x, size_t rows) {
  for (size_t d = 0; d < columns_; ++d) {
    if (discrete_[d]) continue;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < rows; ++i) {
      sum += x[i * columns_ + d];
      squares += double(x[i * columns_ + d]) * x[i * columns_ + d];
    }
    const double mean = sum / double(rows);
    const double deviation = std::sqrt(std::max(0.0, squares / double(rows) - mean * mean));
    if (!(deviation > kConstant)) continue;
    source_.push_back(static_cast<int>(d));
    shift_.push_back(static_cast<float>(mean));
    scale_.push_back(static_cast<float>(1 / deviation));
  }
}

void Inputs::keep_relevant(std::span<const float> relevance) {
  size_t kept = 0;
  for (size_t i = 0; i < source_.size(); ++i) {
    if (relevance[i] < kIrrelevant) continue;
    source_[kept] = source_[i];
    shift_[kept] = shift_[i];
    scale_[kept++] = scale_[i];
  }
  source_.resize(kept);
  shift_.resize(kept);
  scale_.resize(kept);
}

InputRows Inputs::encode(ConstRecords states) const {
  FeatureBatch batch(layout_, static_cast<int>(states.count));
  model_->encode(states, batch);
  const std::vector<float> x = continuous(states, batch);
  InputRows out;
  out.code.reserve(states.count);
  out.x.reserve(states.count * source_.size());
  for (size_t i = 0; i < states.count; ++i) {
    const FeatureRow row = batch.row(static_cast<int>(i));
    uint64_t code = 0;
    for (size_t c = 0; c < gates_.size(); ++c)
      if (gates_[c]) code = stir(code, static_cast<uint32_t>(row.category[c]));
    for (uint32_t word : row.bits) code = stir(code, word);
    for (size_t d = 0; d < columns_; ++d)
      if (discrete_[d]) code = stir(code, std::bit_cast<uint32_t>(x[i * columns_ + d] + 0.0f));
    out.code.push_back(code);
    for (size_t k = 0; k < source_.size(); ++k)
      out.x.push_back((x[i * columns_ + source_[k]] - shift_[k]) * scale_[k]);
  }
  return out;
}

}  // namespace penumbra::anchors
