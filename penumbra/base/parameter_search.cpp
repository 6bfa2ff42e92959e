#include "penumbra/base/parameter_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "penumbra/base/error.h"

namespace penumbra {
namespace {

constexpr size_t kRandomFirst = 8;
constexpr double kUpperShare = 0.25;
constexpr int kCandidates = 24;

int choice_of(const Range& range, double coordinate) {
  const int n = static_cast<int>(range.choices.size());
  return std::clamp(static_cast<int>(coordinate * n), 0, n - 1);
}

// A density over coordinates: kernels at the points given and one that covers everything.
class Parzen {
 public:
  Parzen(const Range& range, std::vector<double> points) : range_(range), points_(points) {
    const size_t n = range.choices.size();
    if (n > 0) {
      weight_.assign(n, 1.0);
      for (double x : points) weight_[choice_of(range, x)] += 1;
      return;
    }
    // A kernel is as wide as the way to its farther neighbour, and not too narrow for so few.
    std::sort(points_.begin(), points_.end());
    const double least = 1.0 / (1.0 + std::min<double>(100, 1.0 + double(points_.size())));
    for (size_t i = 0; i < points_.size(); ++i) {
      const double left = points_[i] - (i > 0 ? points_[i - 1] : 0.0);
      const double right = (i + 1 < points_.size() ? points_[i + 1] : 1.0) - points_[i];
      width_.push_back(std::clamp(std::max(left, right), least, 1.0));
    }
  }

  double sample(Rng& rng) const {
    if (!weight_.empty())
      return (rng.categorical(weight_) + 0.5) / static_cast<double>(weight_.size());
    const uint32_t kernel = rng.below(static_cast<uint32_t>(points_.size() + 1));
    if (kernel == points_.size()) return rng.uniform();
    const double low = normal_cdf(-points_[kernel] / width_[kernel]);
    const double high = normal_cdf((1 - points_[kernel]) / width_[kernel]);
    const double u = std::clamp(rng.uniform(low, high), 1e-12, 1 - 1e-12);
    return std::clamp(points_[kernel] + width_[kernel] * normal_quantile(u), 0.0, 1.0);
  }

  double log_density(double x) const {
    if (!weight_.empty())
      return std::log(weight_[choice_of(range_, x)] /
                      std::accumulate(weight_.begin(), weight_.end(), 0.0));
    double sum = 1;
    for (size_t i = 0; i < points_.size(); ++i) {
      const double z = (x - points_[i]) / width_[i];
      const double inside =
          normal_cdf((1 - points_[i]) / width_[i]) - normal_cdf(-points_[i] / width_[i]);
      sum += std::exp(-0.5 * z * z) / (2.5066282746310002 * width_[i] * inside);
    }
    return std::log(sum / static_cast<double>(points_.size() + 1));
  }

 private:
  const Range& range_;
  std::vector<double> points_, width_, weight_;
};

// Equal values and neighbouring fifths together.
int group_of(const Range& range, double coordinate) {
  if (!range.choices.empty()) return choice_of(range, coordinate);
  return std::clamp(static_cast<int>(5 * coordinate), 0, 4);
}

}  // namespace

void Range::validate() const {
  if (!choices.empty()) return;
  if (!(low < high) || !std::isfinite(low) || !std::isfinite(high))
    throw Error(fmt::format("{}: low = {} must be below high = {}", name, low, high));
  if (log && low <= 0)
    throw Error(fmt::format("{}: low = {} must be above 0 for a logarithm", name, low));
  if (whole && (low != std::floor(low) || high != std::floor(high)))
    throw Error(fmt::format("{}: whole numbers have whole limits", name));
}

std::string Range::text(double u) const {
  if (!choices.empty()) return choices[choice_of(*this, u)];
  const double top = whole ? high + 1 : high;
  double x = log ? low * std::pow(top / low, u) : low + (top - low) * u;
  if (whole) return fmt::format("{:.0f}", std::clamp(std::floor(x), low, high));
  return fmt::format("{:.6g}", std::clamp(x, low, high));
}

std::vector<double> propose_random(std::span<const Range> ranges, Rng& rng) {
  std::vector<double> point;
  for (size_t i = 0; i < ranges.size(); ++i) point.push_back(rng.uniform());
  return point;
}

std::vector<double> propose_parzen(std::span<const Range> ranges, std::span<const Tried> tried,
                                   Rng& rng) {
  if (tried.size() < kRandomFirst) return propose_random(ranges, rng);
  std::vector<const Tried*> order;
  for (const Tried& t : tried) order.push_back(&t);
  std::stable_sort(order.begin(), order.end(),
                   [](const Tried* a, const Tried* b) { return a->score > b->score; });
  const auto upper =
      static_cast<size_t>(std::ceil(kUpperShare * static_cast<double>(order.size())));
  std::vector<double> point;
  for (size_t r = 0; r < ranges.size(); ++r) {
    std::vector<double> good, rest;
    for (size_t i = 0; i < order.size(); ++i)
      (i < upper ? good : rest).push_back(order[i]->point[r]);
    const Parzen above(ranges[r], good), below(ranges[r], rest);
    double best = 0, best_ratio = -HUGE_VAL;
    for (int c = 0; c < kCandidates; ++c) {
      const double x = above.sample(rng), ratio = above.log_density(x) - below.log_density(x);
      if (ratio > best_ratio) {
        best_ratio = ratio;
        best = x;
      }
    }
    point.push_back(best);
  }
  return point;
}

std::vector<double> importance(std::span<const Range> ranges, std::span<const Tried> tried) {
  std::vector<double> shares;
  const auto n = static_cast<double>(tried.size());
  double mean = 0, total = 0;
  for (const Tried& t : tried) mean += t.score / n;
  for (const Tried& t : tried) total += (t.score - mean) * (t.score - mean);
  for (size_t r = 0; r < ranges.size(); ++r) {
    std::map<int, std::pair<double, double>> groups;  // sum and count
    for (const Tried& t : tried) {
      auto& [sum, count] = groups[group_of(ranges[r], t.point[r])];
      sum += t.score;
      ++count;
    }
    double between = 0;
    for (const auto& [group, sums] : groups) {
      const double distance = sums.first / sums.second - mean;
      between += sums.second * distance * distance;
    }
    const auto k = static_cast<double>(groups.size());
    const bool known = total > 0 && n > k;
    const double left = known ? (1 - between / total) * (n - 1) / (n - k) : 1;
    shares.push_back(std::max(0.0, 1 - left));
  }
  return shares;
}

}  // namespace penumbra
