// What a fit minimises: the weighted mean of a loss of the error e = prediction - target.
#pragma once

#include <algorithm>
#include <cmath>

namespace penumbra::nn {

enum class LossKind { kSquared, kHuber };

struct Loss {
  LossKind kind = LossKind::kSquared;
  double delta = 1;  // Huber: where the parabola becomes a line

  template <class T>
  T value(T e) const {
    const T size = std::abs(e), d = static_cast<T>(delta);
    if (kind == LossKind::kSquared || size <= d) return e * e / 2;
    return d * (size - d / 2);
  }
  template <class T>
  T slope(T e) const {
    if (kind == LossKind::kSquared) return e;
    return std::clamp(e, static_cast<T>(-delta), static_cast<T>(delta));
  }
};

}  // namespace penumbra::nn
