#include "penumbra/nn/anchor_bank.h"

#include <algorithm>
#include <cmath>

#include "penumbra/base/error.h"
#include "penumbra/nn/bank_format.h"

namespace penumbra::nn {
namespace {

struct Share {  // of an anchor in the sum of a group
  int32_t group;
  int anchor;
  double weight;
};

}  // namespace

AnchorBank::AnchorBank(InputKeys keys, Anchors anchors, float elsewhere)
    : shared_(
          std::make_shared<const Shared>(Shared{std::move(keys), std::move(anchors), elsewhere})) {
  if (layout().num_dense != static_cast<int>(shared_->keys.columns()))
    throw Error("functions at anchors: they see coordinates, and features are what there is");
}

AnchorBank AnchorBank::with(std::span<const std::span<const float>> functions) const {
  AnchorBank bank = *this;
  bank.size_ = static_cast<int>(functions.size());
  bank.values_.resize(num_anchors() * functions.size());
  for (size_t f = 0; f < functions.size(); ++f) {
    if (functions[f].size() != num_anchors())
      throw Error("functions at anchors: " + std::to_string(functions[f].size()) + " values for " +
                  std::to_string(num_anchors()) + " anchors");
    for (size_t a = 0; a < num_anchors(); ++a)
      bank.values_[a * functions.size() + f] = functions[f][a];
  }
  return bank;
}

InputRows AnchorBank::encode(const FeatureBatch& states) const {
  return shared_->keys.encode(states, states.dense());
}

std::vector<float> AnchorBank::function(int f) const {
  std::vector<float> values(num_anchors());
  for (size_t a = 0; a < values.size(); ++a) values[a] = values_[a * size_ + f];
  return values;
}

size_t AnchorBank::num_weights() const {
  return values_.size() + shared_->anchors.rows().x.size();
}

void AnchorBank::set_pool(FeatureBatch states, ThreadPool*) {
  pool_ = std::move(states);
}

FittedFunction AnchorBank::fit(const FitData& data, RngKey, ThreadPool*) const {
  check_data(data);
  FitReport report;
  std::vector<double> sum(num_anchors(), 0), total(num_anchors(), 0);
  double targets_sum = 0, squares = 0;
  bool finite = true;
  Anchors::Buffer buffer;
  auto each = [&](auto visit) {
    if (data.local) {
      const InputRows rows = encode(*data.local);
      for (size_t i = 0; i < data.local_targets.size(); ++i)
        visit(rows, i, data.local_targets[i],
              data.local_weights.empty() ? 1.0 : double(data.local_weights[i]));
    }
    if (data.pool_targets.empty()) return;
    const InputRows rows = encode(pool_);
    for (size_t i = 0; i < data.pool_targets.size(); ++i)
      visit(rows, i, data.pool_targets[i], data.pool_weight);
  };
  each([&](const InputRows& rows, size_t i, double target, double weight) {
    finite = finite && std::isfinite(target) && std::isfinite(weight);
    for (const Anchors::Weight& w : shared_->anchors.weigh(rows, i, buffer)) {
      sum[w.anchor] += weight * w.weight * target;
      total[w.anchor] += weight * w.weight;
    }
    ++report.training_rows;
    targets_sum += target;
    squares += target * target;
  });
  if (!finite) return {report, {}};
  std::vector<float> values(num_anchors(), shared_->elsewhere);
  for (size_t a = 0; a < values.size(); ++a)
    if (total[a] > 0) values[a] = static_cast<float>(sum[a] / total[a]);
  double error = 0;
  each([&](const InputRows& rows, size_t i, double target, double) {
    double value = 0;
    const auto weights = shared_->anchors.weigh(rows, i, buffer);
    for (const Anchors::Weight& w : weights) value += w.weight * values[w.anchor];
    if (weights.empty()) value = shared_->elsewhere;
    error += (value - target) * (value - target);
  });
  const double rows = report.training_rows, mean = targets_sum / rows;
  report.status = FitStatus::kClosedForm;
  report.training_mse = report.validation_mse = error / rows;
  report.target_variance = std::max(0.0, squares / rows - mean * mean);
  ByteWriter weights;
  weights.floats(values);
  return {report, weights.bytes()};
}

void AnchorBank::append(const FittedFunction& fitted) {
  ByteReader in(fitted.weights);
  std::vector<std::vector<float>> all;
  for (int f = 0; f < size_; ++f) all.push_back(function(f));
  all.push_back(in.floats());
  in.finish();
  *this = with(std::vector<std::span<const float>>(all.begin(), all.end()));
}

void AnchorBank::keep(std::span<const int> indices) {
  std::vector<std::vector<float>> kept;
  for (int f : indices) kept.push_back(function(f));
  *this = with(std::vector<std::span<const float>>(kept.begin(), kept.end()));
}

void AnchorBank::predict(const FeatureBatch& states, std::span<float> out, ThreadPool*) const {
  const InputRows rows = encode(states);
  Anchors::Buffer buffer;
  std::vector<double> sums(size_);
  for (int i = 0; i < states.rows(); ++i) {
    const auto weights = shared_->anchors.weigh(rows, i, buffer);
    std::fill(sums.begin(), sums.end(), weights.empty() ? double(shared_->elsewhere) : 0.0);
    for (const Anchors::Weight& w : weights)
      for (int f = 0; f < size_; ++f) sums[f] += w.weight * values_[size_t(w.anchor) * size_ + f];
    for (int f = 0; f < size_; ++f) out[size_t(i) * size_ + f] = static_cast<float>(sums[f]);
  }
}

void AnchorBank::predict_sums(const FeatureBatch& states, const Groups& groups,
                              std::span<double> sums, ThreadPool*) const {
  groups.check(states.rows(), sums.size(), size_);
  const InputRows rows = encode(states);
  Anchors::Buffer buffer;
  std::vector<Share> shares;
  std::vector<double> missing(groups.count, 0);
  for (int i = 0; i < states.rows(); ++i) {
    const int32_t group = groups.group[i];
    if (group < 0) continue;
    const auto weights = shared_->anchors.weigh(rows, i, buffer);
    for (const Anchors::Weight& w : weights)
      shares.push_back({group, w.anchor, groups.weight(i) * w.weight});
    if (weights.empty()) missing[group] += groups.weight(i);
  }
  // The same anchors come up again and again in one belief.
  std::stable_sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) {
    return a.group != b.group ? a.group < b.group : a.anchor < b.anchor;
  });
  for (int g = 0; g < groups.count; ++g)
    std::fill_n(sums.begin() + static_cast<long>(g) * size_, size_,
                missing[g] * shared_->elsewhere);
  for (size_t i = 0; i < shares.size();) {
    const Share& first = shares[i];
    double weight = 0;
    for (; i < shares.size() && shares[i].group == first.group && shares[i].anchor == first.anchor;
         ++i)
      weight += shares[i].weight;
    const float* values = values_.data() + size_t(first.anchor) * size_;
    double* out = sums.data() + size_t(first.group) * size_;
    for (int f = 0; f < size_; ++f) out[f] += weight * values[f];
  }
}

void AnchorBank::predict_rows(const FeatureBatch& states, std::span<const int32_t> which,
                              std::span<float> out, ThreadPool*) const {
  const InputRows rows = encode(states);
  Anchors::Buffer buffer;
  for (int i = 0; i < states.rows(); ++i) {
    const auto weights = shared_->anchors.weigh(rows, i, buffer);
    double sum = weights.empty() ? shared_->elsewhere : 0;
    for (const Anchors::Weight& w : weights)
      sum += w.weight * values_[size_t(w.anchor) * size_ + which[i]];
    out[i] = static_cast<float>(sum);
  }
}

Bytes AnchorBank::save() const {
  ByteWriter out;
  out.u32(kAnchorBank);
  shared_->keys.write(out);
  const Anchors& anchors = shared_->anchors;
  out.i32(anchors.neighbours());
  out.u32(anchors.exact());
  out.f32(shared_->elsewhere);
  out.u64(anchors.count());
  for (uint64_t code : anchors.rows().code) out.u64(code);
  out.floats(anchors.rows().x);
  out.i32(size_);
  out.floats(values_);
  return seal(Kind::kBank, kBankVersion, out);
}

AnchorBank AnchorBank::read(ByteReader& in) {
  const auto wrong = [] { return Error("saved bank: its anchors and functions do not fit"); };
  InputKeys keys = InputKeys::read(in);
  const int neighbours = in.i32();
  const uint32_t exact = in.u32();
  const float elsewhere = in.f32();
  InputRows rows;
  for (uint64_t left = in.u64(); left > 0; --left) rows.code.push_back(in.u64());
  rows.x = in.floats();
  const int size = in.i32();
  std::vector<float> values = in.floats();
  const size_t count = rows.code.size();
  constexpr int kMostNeighbours = 64;
  bool good = neighbours > 0 && neighbours <= kMostNeighbours && exact <= 1 &&
              std::isfinite(elsewhere) && count > 0 && rows.x.size() == count * keys.width() &&
              size >= 0 && values.size() == count * static_cast<size_t>(size);
  for (const auto* numbers : {&rows.x, &values})
    for (float number : *numbers) good = good && std::isfinite(number);
  if (!good) throw wrong();
  const int width = keys.width();
  AnchorBank bank(std::move(keys), Anchors(std::move(rows), width, neighbours, exact == 1),
                  elsewhere);
  bank.size_ = size;
  bank.values_ = std::move(values);
  return bank;
}

}  // namespace penumbra::nn
