#include "penumbra/solvers/sarsop/trial.h"

#include <algorithm>
#include <cmath>

namespace penumbra::sarsop {

using points::Child;
using points::PointBounds;

Trial::Step Trial::choose(int node, double allowed) {
  Step step;
  step.action = bounds_.best_upper_action(node);
  double most = -HUGE_VAL;
  for (const Child& child : bounds_.children(node, step.action)) {
    const double low = bounds_.lower(child.node), high = bounds_.known_upper(child.node);
    step.later_lower += child.chance * low;
    step.later_upper += child.chance * high;
    if (const double excess = child.chance * (high - low - allowed); excess > most) {
      most = excess;
      step.child = &child;
    }
  }
  if (step.child) {
    step.later_lower -= step.child->chance * bounds_.known_lower(step.child->node);
    step.later_upper -= step.child->chance * bounds_.known_upper(step.child->node);
  }
  return step;
}

void Trial::run(const points::Stop& stop) {
  constexpr size_t kMaxDepth = 2000;
  const double discount = bounds_.model().discount();
  int node = PointBounds::kRoot;
  double low_target = bounds_.lower(node);  // L: a plan from here matters at b0 if above
  double high_target = low_target;          // U: b0 is done with bounds up to this
  // The gap that a path may leave here; it grows as the root cares less.
  double allowed = options_.trial_gap * (bounds_.upper(node) - bounds_.lower(node));
  path_.clear();
  while (path_.size() < kMaxDepth && !stop()) {
    const double low = bounds_.lower(node), high = bounds_.upper(node);
    if (high - low <= 0.5 * allowed) break;
    high_target = std::max(high_target, low + allowed);
    low_target = std::max(low_target, low);
    path_.push_back(node);
    const Step step = choose(node, allowed / discount);
    if (!step.child) break;
    const double reward = bounds_.graph().actions(node)[step.action].reward;
    const double weight = discount * step.child->chance;
    const double next_low = (low_target - reward - discount * step.later_lower) / weight;
    const bool promising = options_.predict && predictor_.expect(step.child->node) > next_low;
    const bool open =
        high - low > allowed && bounds_.graph().actions(node)[step.action].upper > high_target;
    if (!promising && !open) break;
    high_target = (high_target - reward - discount * step.later_upper) / weight;
    low_target = next_low;
    node = step.child->node;
    allowed /= discount;
  }
  const double least_rise = 0.02 * (1 - discount);  // what one backup of a slow gain still brings
  for (size_t i = path_.size(); i > 0; --i) {
    bounds_.back_up_lower(path_[i - 1], least_rise);
    bounds_.back_up_upper(path_[i - 1]);
    if (options_.predict) predictor_.update(path_[i - 1]);
  }
  if (bounds_.vectors().num_listed() < pruned_ * (1 + options_.prune_growth) + 10) return;
  bounds_.prune_vectors();
  pruned_ = bounds_.vectors().num_listed();
}

}  // namespace penumbra::sarsop
