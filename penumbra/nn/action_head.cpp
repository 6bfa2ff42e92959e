#include "penumbra/nn/action_head.h"

#include <algorithm>
#include <cmath>

namespace penumbra::nn {
namespace {

constexpr double kHalfLogTwoPi = 0.91893853320467274178;
constexpr double kLeastLogDeviation = -5, kMostLogDeviation = 2;

// log of the sum of the exponentials.
double log_total(const float* logit, int n) {
  const double most = *std::max_element(logit, logit + n);
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += std::exp(double(logit[i]) - most);
  return most + std::log(sum);
}

double log_deviation(float out) {
  return std::clamp(double(out), kLeastLogDeviation, kMostLogDeviation);
}
bool is_free(float out) {
  return out > kLeastLogDeviation && out < kMostLogDeviation;
}

}  // namespace

void ActionHead::sample(const float* out, Rng& rng, float* action) const {
  if (choices == 0) {
    for (int i = 0; i < dimensions; ++i)
      action[i] = float(rng.normal(out[i], std::exp(log_deviation(out[dimensions + i]))));
    return;
  }
  const double total = log_total(out, choices);
  double u = rng.uniform();
  int i = 0;
  while (i + 1 < choices && (u -= std::exp(out[i] - total)) >= 0) ++i;
  action[0] = float(i);
}

void ActionHead::best(const float* out, float* action) const {
  if (choices > 0)
    action[0] = float(std::max_element(out, out + choices) - out);
  else
    std::copy_n(out, dimensions, action);
}

double ActionHead::log_probability(const float* out, const float* action) const {
  if (choices > 0) return out[int(action[0])] - log_total(out, choices);
  double sum = 0;
  for (int i = 0; i < dimensions; ++i) {
    const double log_dev = log_deviation(out[dimensions + i]);
    const double z = (double(action[i]) - out[i]) * std::exp(-log_dev);
    sum -= 0.5 * z * z + log_dev + kHalfLogTwoPi;
  }
  return sum;
}

double ActionHead::entropy(const float* out) const {
  double sum = 0;
  if (choices == 0) {
    for (int i = 0; i < dimensions; ++i)
      sum += 0.5 + kHalfLogTwoPi + log_deviation(out[dimensions + i]);
    return sum;
  }
  const double total = log_total(out, choices);
  for (int i = 0; i < choices; ++i) sum -= std::exp(out[i] - total) * (out[i] - total);
  return sum;
}

void ActionHead::slopes(const float* out, const float* action, double by_log_probability,
                        double by_entropy, float* slope) const {
  if (choices > 0) {
    const double total = log_total(out, choices);
    double h = 0;
    for (int i = 0; i < choices; ++i) h -= std::exp(out[i] - total) * (out[i] - total);
    for (int i = 0; i < choices; ++i) {
      const double log_p = out[i] - total, p = std::exp(log_p);
      const double taken = i == int(action[0]) ? 1 : 0;
      slope[i] = float(by_log_probability * (taken - p) - by_entropy * p * (log_p + h));
    }
    return;
  }
  for (int i = 0; i < dimensions; ++i) {
    const double scale = std::exp(-log_deviation(out[dimensions + i]));
    const double z = (double(action[i]) - out[i]) * scale;
    slope[i] = float(by_log_probability * z * scale);
    slope[dimensions + i] =
        is_free(out[dimensions + i]) ? float(by_log_probability * (z * z - 1) + by_entropy) : 0.0f;
  }
}

}  // namespace penumbra::nn
