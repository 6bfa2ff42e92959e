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

void Trial::begin() {
  node_ = PointBounds::kRoot;
  low_target_ = high_target_ = bounds_.lower(node_);
  allowed_ = options_.trial_gap * (bounds_.upper(node_) - bounds_.lower(node_));
  path_.clear();
}

bool Trial::descend(const Stop& stop) {
  constexpr size_t kMaxDepth = 2000;
  const double discount = bounds_.model().discount();
  while (path_.size() < kMaxDepth) {
    if (stop()) return false;
    const double low = bounds_.lower(node_), high = bounds_.upper(node_);
    if (high - low <= 0.5 * allowed_) break;
    high_target_ = std::max(high_target_, low + allowed_);
    low_target_ = std::max(low_target_, low);
    path_.push_back(node_);
    const Step step = choose(node_, allowed_ / discount);
    if (!step.child) break;
    const double reward = bounds_.graph().actions(node_)[step.action].reward;
    const double weight = discount * step.child->chance;
    const double next_low = (low_target_ - reward - discount * step.later_lower) / weight;
    const bool promising = options_.predict && predictor_.expect(step.child->node) > next_low;
    const bool open =
        high - low > allowed_ && bounds_.graph().actions(node_)[step.action].upper > high_target_;
    if (!promising && !open) break;
    high_target_ = (high_target_ - reward - discount * step.later_upper) / weight;
    low_target_ = next_low;
    node_ = step.child->node;
    allowed_ /= discount;
  }
  return true;
}

bool Trial::ascend(const Stop& stop) {
  // What one backup of a slow gain still brings.
  const double least_rise = 0.02 * (1 - bounds_.model().discount());
  for (; !path_.empty(); path_.pop_back()) {
    if (stop()) return false;
    bounds_.back_up_lower(path_.back(), least_rise);
    bounds_.back_up_upper(path_.back());
    if (options_.predict) predictor_.update(path_.back());
  }
  return true;
}

bool Trial::run(const Stop& stop) {
  if (phase_ == Phase::kBegin) {
    begin();
    phase_ = Phase::kDown;
  }
  if (phase_ == Phase::kDown) {
    if (!descend(stop)) return false;
    bounds_.look_ahead(path_);
    phase_ = Phase::kUp;
  }
  if (!ascend(stop)) return false;
  phase_ = Phase::kBegin;
  if (bounds_.vectors().num_listed() < pruned_ * (1 + options_.prune_growth) + 10) return true;
  bounds_.prune_vectors();
  pruned_ = bounds_.vectors().num_listed();
  return true;
}

}  // namespace penumbra::sarsop
