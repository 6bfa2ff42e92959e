#include "penumbra/search/tree_beliefs.h"

#include <algorithm>

namespace penumbra::search {
namespace {
constexpr double kFewLeft = 0.25;  // of the particles' number, as effective size
}

void TreeBeliefs::add(ConstRecords states, std::span<const double> weights, Rng rng) {
  const auto b = static_cast<int>(weights_.size() / particles_);
  states_.append(states);
  double sum = 0, squares = 0;
  for (double w : weights) {
    sum += w;
    squares += w * w;
  }
  const double equal = 1.0 / particles_;
  for (double w : weights) weights_.push_back(sum > 0 ? w / sum : equal);
  if (!(sum > 0) || sum * sum >= kFewLeft * particles_ * squares) return;
  const double offset = rng.uniform();
  for (int i = 0; i < particles_; ++i)
    moved_.copy_from(i, this->states(b).at(at_share(b, (i + offset) * equal)));
  std::copy_n(moved_.view().data, particles_ * states_.record_size(),
              states_.at(size_t(b) * particles_));
  std::fill(weights_.end() - particles_, weights_.end(), equal);
}

int TreeBeliefs::at_share(int b, double share) const {
  const std::span<const double> w = weights(b);
  int last = 0;
  for (int i = 0; i < particles_; ++i) {
    if (w[i] <= 0) continue;
    last = i;
    if ((share -= w[i]) < 0) break;
  }
  return last;
}

}  // namespace penumbra::search
