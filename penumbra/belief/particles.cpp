#include "penumbra/belief/particles.h"

#include "penumbra/base/error.h"

namespace penumbra {

double Particles::effective_size() const {
  if (weights.empty()) return static_cast<double>(count());
  double sum = 0, squares = 0;
  for (double w : weights) {
    sum += w;
    squares += w * w;
  }
  return squares > 0 ? sum * sum / squares : 0;
}

Particles resample(const Particles& belief, size_t count, RngKey key) {
  Particles out;
  out.states = resample(belief.states, belief.weights, count, key);
  return out;
}

RecordBuffer resample(ConstRecords states, std::span<const double> weights, size_t count,
                      RngKey key) {
  PENUMBRA_CHECK(states.count > 0, "an empty belief cannot be resampled");
  auto weight = [&](size_t i) {
    return weights.empty() ? 1.0 / static_cast<double>(states.count) : weights[i];
  };
  RecordBuffer out(states.size, count);
  double total = 0;
  for (size_t i = 0; i < states.count; ++i) total += weight(i);
  const double step = total / static_cast<double>(count);
  double target = Rng(key, 0).uniform() * step, reached = weight(0);
  size_t source = 0, last = 0;  // last: the newest particle of positive weight
  for (size_t i = 0; i < count; ++i, target += step) {
    while (reached <= target && source + 1 < states.count) reached += weight(++source);
    if (weight(source) > 0) last = source;
    out.copy_from(i, states.at(last));
  }
  return out;
}

}  // namespace penumbra
