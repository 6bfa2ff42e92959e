// What the outputs of a policy network mean: a categorical distribution over a finite set of
// actions (outputs are logits), or a Gaussian per dimension of a continuous one (outputs are the
// means, then the logarithms of the deviations). An action is a row of width() floats: the number
// of a finite one, otherwise the point itself.
#pragma once

#include "penumbra/base/rng.h"

namespace penumbra::nn {

struct ActionHead {
  int choices = 0;     // of a finite set; 0: continuous
  int dimensions = 0;  // of a continuous action

  int outputs() const { return choices > 0 ? choices : 2 * dimensions; }
  int width() const { return choices > 0 ? 1 : dimensions; }

  void sample(const float* out, Rng& rng, float* action) const;
  void best(const float* out, float* action) const;  // the likeliest, or the means
  double log_probability(const float* out, const float* action) const;
  double entropy(const float* out) const;
  // slope = by_log_probability * d log p(action) + by_entropy * d entropy, by the outputs.
  void slopes(const float* out, const float* action, double by_log_probability, double by_entropy,
              float* slope) const;
};

}  // namespace penumbra::nn
