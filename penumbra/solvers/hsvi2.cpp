#include "penumbra/solvers/hsvi2.h"

#include <cmath>

#include "penumbra/solvers/points/point_solver.h"

namespace penumbra {
namespace {

using points::Child;
using points::PointBounds;

// explore(b, epsilon, t): down while the gap is above epsilon * discount^-t, then back.
class Explore final : public points::BackupOrder {
 public:
  explicit Explore(PointBounds& bounds) : bounds_(bounds), pruned_(bounds.vectors().num_listed()) {}

  bool run(const Stop& stop) override {
    if (!going_up_) {
      if (path_.empty()) {
        node_ = PointBounds::kRoot;
        allowed_ = 0.95 * (bounds_.upper(node_) - bounds_.lower(node_));
      }
      if (!descend(stop)) return false;
      bounds_.look_ahead(path_);
      going_up_ = true;
    }
    // What one backup of a slow gain still brings.
    const double least_rise = 0.02 * (1 - bounds_.model().discount());
    for (; !path_.empty(); path_.pop_back()) {
      if (stop()) return false;
      bounds_.back_up_lower(path_.back(), least_rise);
      bounds_.back_up_upper(path_.back());
    }
    going_up_ = false;
    if (bounds_.vectors().num_listed() < 1.1 * pruned_ + 10) return true;
    bounds_.prune_vectors();
    pruned_ = bounds_.vectors().num_listed();
    return true;
  }
  void save(Saver& saver) override { archive(saver); }
  void load(Loader& loader) override { archive(loader); }

 private:
  template <class Archive>
  void archive(Archive& a) {
    a(path_, node_, allowed_, going_up_, pruned_);
  }

  bool descend(const Stop& stop) {
    constexpr size_t kMaxDepth = 2000;
    const double discount = bounds_.model().discount();
    while (path_.size() < kMaxDepth) {
      if (stop()) return false;
      path_.push_back(node_);
      if (bounds_.upper(node_) - bounds_.lower(node_) <= allowed_ && path_.size() > 1) break;
      const int action = bounds_.best_upper_action(node_);
      allowed_ /= discount;
      double most = 0;
      int next = -1;
      for (const Child& child : bounds_.children(node_, action)) {
        const double gap = bounds_.known_upper(child.node) - bounds_.lower(child.node);
        if (child.chance * (gap - allowed_) > most) {
          most = child.chance * (gap - allowed_);
          next = child.node;
        }
      }
      if (next < 0) break;
      node_ = next;
    }
    return true;
  }

  PointBounds& bounds_;
  std::vector<int> path_;
  int node_ = 0;        // where the path goes on
  double allowed_ = 0;  // gap
  bool going_up_ = false;
  int pruned_;  // vectors that the last pruning left
};

class Hsvi2Solver final : public points::PointSolver {
 public:
  OptionList options() override { return {}; }

 private:
  std::unique_ptr<points::BackupOrder> order(PointBounds& bounds, uint64_t) const override {
    return std::make_unique<Explore>(bounds);
  }
};

}  // namespace

std::unique_ptr<Solver> make_hsvi2() {
  return std::make_unique<Hsvi2Solver>();
}

}  // namespace penumbra
