#include "penumbra/evaluate/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "penumbra/evaluate/score.h"

namespace penumbra {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The continued fraction of the incomplete beta function by Lentz's method; it converges fast for
// x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  auto away_from_zero = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), value = d;
  for (int m = 1; m <= 1000; ++m) {
    for (double step : {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                        -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))}) {
      d = 1 / away_from_zero(1 + step * d);
      c = away_from_zero(1 + step / c);
      value *= c * d;
    }
    if (std::abs(c * d - 1) < 1e-15) break;
  }
  return value;
}

// I_x(a, b); y is 1 - x, given apart because it may be tiny.
double regularised_beta(double a, double b, double x, double y) {
  if (x <= 0) return 0;
  if (y <= 0) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log(y));
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                   : 1 - front * beta_fraction(b, a, y) / b;
}

}  // namespace

double two_sided_p(double t, double degrees_of_freedom) {
  if (std::isnan(t) || !(degrees_of_freedom > 0)) return kNaN;
  if (std::isinf(t)) return 0;
  if (std::isinf(degrees_of_freedom)) return std::erfc(std::abs(t) / std::sqrt(2.0));
  const double n = degrees_of_freedom, whole = n + t * t;
  return regularised_beta(n / 2, 0.5, n / whole, t * t / whole);
}

std::vector<double> holm_corrected(std::span<const double> p) {
  std::vector<size_t> order;
  for (size_t i = 0; i < p.size(); ++i)
    if (!std::isnan(p[i])) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p[a] < p[b]; });
  std::vector<double> corrected(p.size(), kNaN);
  double highest = 0;
  for (size_t rank = 0; rank < order.size(); ++rank) {
    highest = std::max(highest, std::min(1.0, p[order[rank]] * double(order.size() - rank)));
    corrected[order[rank]] = highest;
  }
  return corrected;
}

PairedTest paired_test(std::span<const double> differences) {
  PairedTest test;
  test.count = differences.size();
  test.standard_error = test.p = kNaN;
  Moments moments;
  for (double d : differences) moments.add(d);
  const Estimate e = moments.estimate();
  test.mean = e.mean;
  if (differences.size() < 2) return test;
  test.standard_error = e.standard_error;
  if (e.standard_error > 0)
    test.p = two_sided_p(e.mean / e.standard_error, double(differences.size() - 1));
  else if (e.mean != 0)
    test.p = 0;
  return test;
}

}  // namespace penumbra
