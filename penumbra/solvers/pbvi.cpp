#include "penumbra/solvers/pbvi.h"

#include <algorithm>
#include <cmath>

#include "penumbra/base/rng.h"
#include "penumbra/solvers/points/run.h"

namespace penumbra {
namespace {

using points::Child;
using points::PointBounds;

double distance(HiddenView a, HiddenView b, std::vector<double>& scratch) {
  for (size_t i = 0; i < a.size(); ++i) scratch[a.at(i)] += a.value[i];
  for (size_t i = 0; i < b.size(); ++i) scratch[b.at(i)] -= b.value[i];
  double sum = 0;
  for (HiddenView view : {a, b})
    for (size_t i = 0; i < view.size(); ++i) {
      sum += std::abs(scratch[view.at(i)]);
      scratch[view.at(i)] = 0;
    }
  return sum;
}

class Expansion {
 public:
  Expansion(PointBounds& bounds, uint64_t seed)
      : bounds_(bounds),
        key_(RngKey::from_seed(seed).fold("pbvi")),
        scratch_(bounds.model().largest_part(), 0.0) {}

  const std::vector<int>& beliefs() const { return beliefs_; }

  void grow() {
    const std::vector<int> before = beliefs_;
    for (int from : before) {
      Rng rng(key_, draws_++);
      int farthest = -1;
      double most = 1e-9;
      for (int a = 0; a < bounds_.model().num_actions(); ++a) {
        const int next = draw(from, a, rng);
        if (next < 0) continue;
        if (const double away = distance_to_set(next); away > most) most = away, farthest = next;
      }
      if (farthest >= 0) beliefs_.push_back(farthest);
    }
  }

 private:
  int draw(int from, int action, Rng& rng) {
    double u = rng.uniform();
    for (const Child& child : bounds_.children(from, action))
      if ((u -= child.chance) < 0) return child.node;
    return -1;  // the episode ended
  }

  double distance_to_set(int node) {
    double least = 2;
    const auto view = bounds_.graph().belief(node);
    const HiddenBelief copy{{view.value.begin(), view.value.end()},
                            {view.index.begin(), view.index.end()}};
    for (int other : beliefs_) {
      if (other == node) return 0;
      if (bounds_.graph().node(other).part != bounds_.graph().node(node).part) continue;
      least = std::min(least, distance(copy.view(), bounds_.graph().belief(other), scratch_));
    }
    return least;
  }

  PointBounds& bounds_;
  RngKey key_;
  uint64_t draws_ = 0;
  std::vector<int> beliefs_{PointBounds::kRoot};
  std::vector<double> scratch_;
};

}  // namespace

Capabilities PbviSolver::needs() const {
  return Capability::kTable | Capability::kFiniteActions | Capability::kFiniteObservations;
}

Solution PbviSolver::solve(const Pomdp& model, const Limits& limits, uint64_t seed, ThreadPool&,
                           const Report& report) {
  return points::run_rounds(model, limits, report,
                            [&](PointBounds& bounds, const points::Stop& stop) {
                              auto set = std::make_shared<Expansion>(bounds, seed);
                              return [this, &bounds, stop, set] {
                                set->grow();
                                for (int round = 0; round < options_.rounds && !stop(); ++round) {
                                  bool changed = false;
                                  // The latest first: what they learn, those before them can use at
                                  // once.
                                  for (size_t i = set->beliefs().size(); i > 0 && !stop(); --i) {
                                    changed |= bounds.back_up_lower(set->beliefs()[i - 1]);
                                    changed |= bounds.back_up_upper(set->beliefs()[i - 1]);
                                  }
                                  if (!changed) break;
                                }
                                bounds.prune_vectors();
                              };
                            });
}

}  // namespace penumbra
