#include "penumbra/base/rng.h"

#include "penumbra/base/error.h"
#include "penumbra/base/quantile_parts.h"

namespace penumbra {
double normal_quantile(double u) {
  const double q = u - 0.5;
  return std::abs(q) <= kQuantileCentre ? quantile_centre(q) : quantile_tail(u);
}

int Rng::categorical(std::span<const double> weights) {
  double total = 0;
  for (double w : weights) total += w;
  PENUMBRA_CHECK(total > 0, "categorical needs a positive total weight");
  double rest = uniform() * total;
  int last = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0) continue;
    last = static_cast<int>(i);
    if (rest < weights[i]) return last;
    rest -= weights[i];
  }
  return last;
}

}  // namespace penumbra
