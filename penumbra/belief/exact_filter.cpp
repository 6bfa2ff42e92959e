#include "penumbra/belief/exact_filter.h"

namespace penumbra {

double ExactFilter::update(std::vector<double>& belief, int action, int seen) const {
  std::vector<double> next(model_.num_states, 0.0);
  for (int s = 0; s < model_.num_states; ++s) {
    if (belief[s] == 0) continue;
    for (const auto& t : model_.transition[action].row(s)) next[t.column] += belief[s] * t.value;
  }
  double total = 0;
  for (int s = 0; s < model_.num_states; ++s) {
    if (next[s] == 0) continue;
    double likelihood = 0;
    if (!model_.terminal[s])  // the episode went on
      for (const auto& o : model_.observation[action].row(s))
        if (o.column == seen) likelihood += o.value;
    next[s] *= likelihood;
    total += next[s];
  }
  if (total > 0) {
    for (double& p : next) p /= total;
    belief = std::move(next);
  }
  return total;
}

}  // namespace penumbra
