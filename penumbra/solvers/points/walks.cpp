#include "penumbra/solvers/points/walks.h"

#include <cmath>

namespace penumbra::points {
namespace {

constexpr double kExplore = 0.2;      // chance at each step to begin a burst
constexpr int kLongestBurst = 12;     // steps
constexpr double kWeightless = 0.02;  // discount at which a path ends
constexpr size_t kMaxDepth = 150;
constexpr int kActions = 3;  // that a backup looks at

}  // namespace

bool Walks::descend(const Stop& stop) {
  const double discount = bounds_.model().discount();
  while (path_.size() < kMaxDepth && std::pow(discount, double(path_.size())) > kWeightless) {
    if (stop()) return false;
    Rng rng(key_.fold(walk_), path_.size());
    path_.push_back(node_);
    bounds_.lower(node_);
    if (burst_ > 0)
      --burst_;
    else if (rng.bernoulli(kExplore))
      burst_ = 1 + static_cast<int>(rng.below(kLongestBurst));
    const int action = burst_ > 0 ? bounds_.best_upper_action(node_)
                                  : bounds_.vectors()[bounds_.graph().node(node_).best].action;
    double u = rng.uniform();
    int next = -1;
    for (const Child& child : bounds_.children(node_, action))
      if ((u -= child.chance) < 0) {
        next = child.node;
        break;
      }
    if (next < 0) break;  // the episode ended
    node_ = next;
  }
  return true;
}

bool Walks::run(const Stop& stop) {
  if (!going_up_) {
    if (!descend(stop)) return false;
    bounds_.look_ahead(path_, kActions);
    going_up_ = true;
  }
  for (; !path_.empty(); path_.pop_back()) {
    if (stop()) return false;
    bounds_.back_up_lower(path_.back(), 0, kActions);
    bounds_.back_up_upper(path_.back());
  }
  going_up_ = false;
  node_ = PointBounds::kRoot;
  burst_ = 0;
  ++walk_;
  if (bounds_.vectors().num_listed() < 1.1 * pruned_ + 10) return true;
  bounds_.prune_vectors();
  pruned_ = bounds_.vectors().num_listed();
  return true;
}

}  // namespace penumbra::points
