#include "penumbra/solvers/controller/origins.h"

#include <Eigen/Dense>
#include <algorithm>
#include <numeric>

namespace penumbra::controller {
namespace {

float squared_norm(std::span<const float> v) {
  return std::inner_product(v.begin(), v.end(), v.begin(), 0.0f);
}

}  // namespace

FeatureBatch encode(const Pomdp& model, ConstRecords states) {
  FeatureBatch batch(model.features(), static_cast<int>(states.count));
  model.encode(states, batch, 0);
  return batch;
}

void top(std::span<const float> score, int k, std::vector<int>& out) {
  out.clear();
  for (int i = 0; i < static_cast<int>(score.size()); ++i) {
    if (static_cast<int>(out.size()) == k && (k == 0 || score[i] <= score[out.back()])) continue;
    if (static_cast<int>(out.size()) == k) out.pop_back();
    auto at = out.end();
    while (at != out.begin() && score[*(at - 1)] < score[i]) --at;
    out.insert(at, i);
  }
}

Origins::Origins(const Pomdp& model, int width, RngKey key)
    : model_(model), sketch_(nn::FeatureMap::random(model.features(), width, key)) {}

std::vector<float> Origins::sketch(ConstRecords states) const {
  const nn::FeatureMatrix features = sketch_.compute(encode(model_, states));
  std::vector<float> mean(features.width, 0.0f);
  for (int i = 0; i < features.rows; ++i)
    for (int f = 0; f < features.width; ++f) mean[f] += features.row(i)[f];
  for (float& m : mean) m /= static_cast<float>(features.rows);
  return mean;
}

void Origins::add(std::span<const float> sketch) {
  square_.push_back(squared_norm(sketch));
  origin_.insert(origin_.end(), sketch.begin(), sketch.end());
}

void Origins::keep(std::span<const int> kept) {
  const size_t width = sketch_.width();
  for (size_t to = 0; to < kept.size(); ++to) {
    std::copy_n(origin_.begin() + static_cast<long>(kept[to] * width), width,
                origin_.begin() + static_cast<long>(to * width));
    square_[to] = square_[kept[to]];
  }
  origin_.resize(kept.size() * width);
  square_.resize(kept.size());
}

Origins::Nearness Origins::nearness(const FeatureBatch& batch, std::span<const int32_t> group,
                                    int num_groups) const {
  const nn::FeatureMatrix features = sketch_.compute(batch);
  Nearness n;
  n.width_ = sketch_.width();
  n.origins_ = square_.size();
  n.square_ = square_;
  n.sum_.assign(num_groups * n.width_, 0.0f);
  n.count_.assign(num_groups, 0);
  for (int i = 0; i < features.rows; ++i) {
    if (group[i] < 0) continue;
    ++n.count_[group[i]];
    for (size_t f = 0; f < n.width_; ++f) n.sum_[group[i] * n.width_ + f] += features.row(i)[f];
  }
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  n.dots_.resize(num_groups * n.origins_);
  Eigen::Map<Matrix>(n.dots_.data(), num_groups, n.origins_) =
      Eigen::Map<const Matrix>(n.sum_.data(), num_groups, n.width_) *
      Eigen::Map<const Matrix>(origin_.data(), n.origins_, n.width_).transpose();
  return n;
}

void Origins::Nearness::to_all(int group, std::span<float> out) const {
  const float scale = 1.0f / static_cast<float>(count_[group]);
  for (size_t b = 0; b < origins_; ++b)
    out[b] = 2 * dots_[group * origins_ + b] * scale - square_[b];
}

float Origins::Nearness::to(int group, std::span<const float> sketch) const {
  const float scale = 1.0f / static_cast<float>(count_[group]);
  const float dot = std::inner_product(sketch.begin(), sketch.end(), &sum_[group * width_], 0.0f);
  return 2 * dot * scale - squared_norm(sketch);
}

}  // namespace penumbra::controller
