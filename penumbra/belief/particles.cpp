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
  PENUMBRA_CHECK(belief.count() > 0, "an empty belief cannot be resampled");
  Particles out(belief.states.record_size(), count);
  double total = 0;
  for (size_t i = 0; i < belief.count(); ++i) total += belief.weight(i);
  const double step = total / static_cast<double>(count);
  double target = Rng(key, 0).uniform() * step, reached = belief.weight(0);
  size_t source = 0, last = 0;  // last: the newest particle of positive weight
  for (size_t i = 0; i < count; ++i, target += step) {
    while (reached <= target && source + 1 < belief.count()) reached += belief.weight(++source);
    if (belief.weight(source) > 0) last = source;
    out.states.copy_from(i, belief.states.at(last));
  }
  return out;
}

}  // namespace penumbra
