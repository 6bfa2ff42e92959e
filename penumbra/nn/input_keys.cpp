#include "penumbra/nn/input_keys.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>

#include "penumbra/base/error.h"
#include "penumbra/base/rng.h"
#include "penumbra/nn/shape.h"

namespace penumbra::nn {
namespace {

constexpr size_t kFewValues = 8;  // of a discrete column, at most
constexpr float kConstant = 1e-6f;
constexpr float kIrrelevant = 0.1f;

uint64_t stir(uint64_t code, uint64_t word) {
  return RngKey::mix(code ^ (word + 0x9e3779b97f4a7c15u));
}

}  // namespace

InputKeys::InputKeys(const FeatureBatch& sample, std::span<const float> x, size_t columns,
                     bool find)
    : layout_(sample.layout()),
      columns_(columns),
      discrete_(columns, 0),
      gates_(layout_.categories.size(), 1) {
  const size_t rows = sample.rows();
  if (find && rows > 4 * kFewValues) find_discrete(x, rows);  // few states show few of anything
  find_repeated_categories(sample, x);
  set_scale(x, rows);
}

void InputKeys::find_discrete(std::span<const float> x, size_t rows) {
  for (size_t d = 0; d < columns_; ++d) {
    std::set<float> values;
    for (size_t i = 0; i < rows && values.size() <= kFewValues; ++i)
      values.insert(x[i * columns_ + d]);
    discrete_[d] = values.size() <= kFewValues;
  }
}

// Sorted by the column that it repeats, a category has one run of each value.
void InputKeys::find_repeated_categories(const FeatureBatch& sample, std::span<const float> x) {
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

void InputKeys::set_scale(std::span<const float> x, size_t rows) {
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

void InputKeys::keep_relevant(std::span<const float> relevance) {
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

InputRows InputKeys::encode(const FeatureBatch& features, std::span<const float> x) const {
  const size_t rows = features.rows(), categories = gates_.size(), words = layout_.words();
  InputRows out;
  out.code.reserve(rows);
  out.x.reserve(rows * source_.size());
  for (size_t i = 0; i < rows; ++i) {
    uint64_t code = 0;
    for (size_t c = 0; c < categories; ++c)
      if (gates_[c])
        code = stir(code, static_cast<uint32_t>(features.category()[i * categories + c]));
    for (uint32_t word : features.bits().subspan(i * words, words)) code = stir(code, word);
    for (size_t d = 0; d < columns_; ++d)
      if (discrete_[d]) code = stir(code, std::bit_cast<uint32_t>(x[i * columns_ + d] + 0.0f));
    out.code.push_back(code);
    for (size_t k = 0; k < source_.size(); ++k)
      out.x.push_back((x[i * columns_ + source_[k]] - shift_[k]) * scale_[k]);
  }
  return out;
}

void InputKeys::write(ByteWriter& out) const {
  write_layout(out, layout_);
  out.u64(columns_);
  out.ints(source_);
  out.floats(shift_);
  out.floats(scale_);
  out.ints(std::vector<int>(discrete_.begin(), discrete_.end()));
  out.ints(std::vector<int>(gates_.begin(), gates_.end()));
}

InputKeys InputKeys::read(ByteReader& in) {
  InputKeys keys;
  keys.layout_ = read_layout(in);
  keys.columns_ = in.u64();
  keys.source_ = in.ints();
  keys.shift_ = in.floats();
  keys.scale_ = in.floats();
  const std::vector<int> discrete = in.ints(), gates = in.ints();
  keys.discrete_.assign(discrete.begin(), discrete.end());
  keys.gates_.assign(gates.begin(), gates.end());
  bool good = keys.layout_.num_bits >= 0 && keys.layout_.num_dense >= 0 &&
              discrete.size() == keys.columns_ && gates.size() == keys.layout_.categories.size() &&
              keys.shift_.size() == keys.source_.size() &&
              keys.scale_.size() == keys.source_.size();
  for (int size : keys.layout_.categories) good = good && size > 0;
  for (float scale : keys.scale_) good = good && scale > 0 && scale <= 2 / kConstant;
  for (int column : keys.source_) good = good && column >= 0 && size_t(column) < keys.columns_;
  for (const auto* numbers : {&keys.shift_, &keys.scale_})
    for (float number : *numbers) good = good && std::isfinite(number);
  if (!good) throw Error("saved bank: what its anchors see of a state does not fit together");
  return keys;
}

}  // namespace penumbra::nn
