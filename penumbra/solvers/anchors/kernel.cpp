#include "penumbra/solvers/anchors/kernel.h"

#include <algorithm>
#include <cmath>

namespace penumbra::anchors {
namespace {

constexpr int kNewtonSteps = 6;
constexpr double kGentle = 0.01;    // penalty on the tilt: a state outside of its anchors
constexpr double kLongestStep = 4;  // of the tilt

// Solves curve * step = slope in place, curve symmetric and positive: slope becomes step.
void solve(std::vector<double>& curve, std::vector<double>& slope, int n) {
  for (int c = 0; c < n; ++c)
    for (int r = c + 1; r < n; ++r) {
      const double factor = curve[r * n + c] / curve[c * n + c];
      for (int k = c; k < n; ++k) curve[r * n + k] -= factor * curve[c * n + k];
      slope[r] -= factor * slope[c];
    }
  for (int r = n - 1; r >= 0; --r) {
    for (int k = r + 1; k < n; ++k) slope[r] -= curve[r * n + k] * slope[k];
    slope[r] /= curve[r * n + r];
  }
}

}  // namespace

std::span<const Kernel::Weight> Kernel::weigh(const Neighbours& anchors, const InputRows& rows,
                                              size_t i, int width, Buffer& buffer) const {
  const float* x = rows.x.data() + i * width;
  anchors.find(rows.code[i], x, neighbours_, buffer.near);
  buffer.weights.clear();
  double total = 0;
  for (const Neighbours::Near& near : buffer.near) {
    const double weight = 1 / (near.distance + bluntness_);
    buffer.weights.push_back({near.point, weight});
    total += weight;
  }
  for (Weight& w : buffer.weights) w.weight /= total;
  if (straight_ && buffer.near.size() > 1 && buffer.near.back().distance > 0)
    straighten(anchors, x, width, buffer);
  return buffer.weights;
}

// Weights w_k exp(tilt . u_k), u the offset of an anchor in units of the farthest: Newton's method
// on log(sum) + kGentle / 2 |tilt|^2, whose slope is their mean offset.
void Kernel::straighten(const Neighbours& anchors, const float* x, int width,
                        Buffer& buffer) const {
  const size_t n = buffer.weights.size();
  const double unit = 1 / std::sqrt(double(buffer.near.back().distance));
  std::vector<double>&u = buffer.offset, &chance = buffer.chance, &tilt = buffer.tilt;
  std::vector<double>&slope = buffer.slope, &curve = buffer.curve;
  u.clear();
  for (const Weight& w : buffer.weights)
    for (int k = 0; k < width; ++k) u.push_back((anchors.at(w.anchor)[k] - x[k]) * unit);
  tilt.assign(width, 0);
  chance.resize(n);
  for (int step = 0; step <= kNewtonSteps; ++step) {
    double total = 0;
    for (size_t i = 0; i < n; ++i) {
      double power = 0;
      for (int k = 0; k < width; ++k) power += tilt[k] * u[i * width + k];
      total += chance[i] = buffer.weights[i].weight * std::exp(std::min(power, 50.0));
    }
    for (double& c : chance) c /= total;
    if (step == kNewtonSteps) break;
    slope.assign(width, 0);
    curve.assign(size_t(width) * width, 0);
    for (size_t i = 0; i < n; ++i)
      for (int k = 0; k < width; ++k) {
        slope[k] += chance[i] * u[i * width + k];
        for (int l = 0; l < width; ++l)
          curve[k * width + l] += chance[i] * u[i * width + k] * u[i * width + l];
      }
    for (int k = 0; k < width; ++k)
      for (int l = 0; l < width; ++l)
        curve[k * width + l] += (k == l ? kGentle : 0) - slope[k] * slope[l];
    for (int k = 0; k < width; ++k) slope[k] += kGentle * tilt[k];
    solve(curve, slope, width);
    double length = 0;
    for (double s : slope) length += s * s;
    const double share = std::min(1.0, kLongestStep / std::sqrt(length + 1e-30));
    for (int k = 0; k < width; ++k) tilt[k] -= share * slope[k];
  }
  for (size_t i = 0; i < n; ++i) buffer.weights[i].weight = chance[i];
}

}  // namespace penumbra::anchors
