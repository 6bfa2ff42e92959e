#include "penumbra/solvers/hsvi2.h"

#include <cmath>

#include "penumbra/solvers/points/run.h"

namespace penumbra {
namespace {

using points::Child;
using points::PointBounds;

// explore(b, epsilon, t): down while the gap is above epsilon * discount^-t, then back.
void explore(PointBounds& bounds, const points::Stop& stop) {
  constexpr size_t kMaxDepth = 2000;
  const double discount = bounds.model().discount();
  std::vector<int> path;
  int node = PointBounds::kRoot;
  double allowed = 0.95 * (bounds.upper(node) - bounds.lower(node));
  while (path.size() < kMaxDepth && !stop()) {
    path.push_back(node);
    if (bounds.upper(node) - bounds.lower(node) <= allowed && path.size() > 1) break;
    const int action = bounds.best_upper_action(node);
    allowed /= discount;
    double most = 0;
    int next = -1;
    for (const Child& child : bounds.children(node, action)) {
      const double gap = bounds.known_upper(child.node) - bounds.lower(child.node);
      if (child.chance * (gap - allowed) > most) {
        most = child.chance * (gap - allowed);
        next = child.node;
      }
    }
    if (next < 0) break;
    node = next;
  }
  const double least_rise = 0.02 * (1 - discount);  // what one backup of a slow gain still brings
  for (size_t i = path.size(); i > 0; --i) {
    bounds.back_up_lower(path[i - 1], least_rise);
    bounds.back_up_upper(path[i - 1]);
  }
}

}  // namespace

Capabilities Hsvi2Solver::needs() const {
  return Capability::kTable | Capability::kFiniteActions | Capability::kFiniteObservations;
}

Solution Hsvi2Solver::solve(const Pomdp& model, const Limits& limits, uint64_t, ThreadPool&,
                            const Report& report) {
  return points::run_rounds(
      model, limits, report, [](PointBounds& bounds, const points::Stop& stop) {
        return [&bounds, stop, pruned = bounds.vectors().num_listed()]() mutable {
          explore(bounds, stop);
          if (bounds.vectors().num_listed() < 1.1 * pruned + 10) return;
          bounds.prune_vectors();
          pruned = bounds.vectors().num_listed();
        };
      });
}

}  // namespace penumbra
