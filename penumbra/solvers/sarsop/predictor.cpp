#include "penumbra/solvers/sarsop/predictor.h"

#include <algorithm>
#include <cmath>

namespace penumbra::sarsop {
namespace {

constexpr int kSplits[] = {5, 10};  // per feature and level

double entropy(HiddenView belief) {
  double sum = 0;
  for (double p : belief.value)
    if (p > 0) sum -= p * std::log(p);
  return sum;
}

}  // namespace

Predictor::Place& Predictor::place(int node) {
  if (static_cast<int>(places_.size()) <= node) places_.resize(bounds_.graph().num_nodes());
  Place& place = places_[node];
  if (place.bin[0] >= 0) return place;
  if (bins_[0].empty()) {
    high_ = bounds_.known_upper(points::PointBounds::kRoot);
    low_ = bounds_.lower(points::PointBounds::kRoot);
    for (int level = 0; level < kLevels; ++level)
      bins_[level].resize(kSplits[level] * kSplits[level]);
  }
  const double most = std::log(std::max(2, bounds_.model().largest_part()));
  const double height = (bounds_.graph().node(node).corner - low_) / std::max(high_ - low_, 1e-12);
  const double spread = entropy(bounds_.graph().belief(node)) / most;
  for (int level = 0; level < kLevels; ++level) {
    const int n = kSplits[level];
    const int row = std::clamp(static_cast<int>(height * n), 0, n - 1);
    const int column = std::clamp(static_cast<int>(spread * n), 0, n - 1);
    place.bin[level] = row * n + column;
  }
  return place;
}

double Predictor::expect(int node) {
  const Place& at = place(node);
  const Bin* best = nullptr;
  for (int level = 0; level < kLevels; ++level) {
    const Bin& bin = bins_[level][at.bin[level]];
    if (bin.count > 0 && (!best || bin.error <= best->error)) best = &bin;
  }
  if (!best) return bounds_.known_upper(node);
  return std::clamp(best->sum / best->count, bounds_.known_lower(node), bounds_.known_upper(node));
}

void Predictor::update(int node) {
  Place& at = place(node);
  const double value = bounds_.known_lower(node);
  for (int level = 0; level < kLevels; ++level) {
    Bin& bin = bins_[level][at.bin[level]];
    if (at.is_counted) {
      bin.sum -= at.counted;
      --bin.count;
    }
    // How far off the bin would have been, lately.
    if (bin.count > 0) bin.error = 0.9 * bin.error + 0.1 * std::abs(bin.sum / bin.count - value);
    bin.sum += value;
    ++bin.count;
  }
  at.counted = value;
  at.is_counted = true;
}

}  // namespace penumbra::sarsop
