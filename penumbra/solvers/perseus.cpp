#include "penumbra/solvers/perseus.h"

#include <algorithm>

#include "penumbra/base/rng.h"
#include "penumbra/solvers/points/run.h"

namespace penumbra {
namespace {

using points::Child;
using points::PointBounds;

// Distinct beliefs from walks with random actions and observations, each of at most 100 steps.
std::vector<int> random_beliefs(PointBounds& bounds, int count, RngKey key,
                                const points::Stop& stop) {
  std::vector<int> beliefs{PointBounds::kRoot};
  std::vector<char> member{1};
  for (uint64_t walk = 0; static_cast<int>(beliefs.size()) < count && !stop(); ++walk) {
    if (walk > 20 * uint64_t(count)) break;  // there are not so many
    Rng rng(key, walk);
    int node = PointBounds::kRoot;
    for (int step = 0; step < 100 && static_cast<int>(beliefs.size()) < count; ++step) {
      const auto action = static_cast<int>(rng.below(bounds.model().num_actions()));
      double u = rng.uniform();
      int next = -1;
      for (const Child& child : bounds.children(node, action))
        if ((u -= child.chance) < 0) {
          next = child.node;
          break;
        }
      if (next < 0) break;
      node = next;
      member.resize(std::max<size_t>(member.size(), node + 1), 0);
      if (!member[node]) beliefs.push_back(node);
      member[node] = 1;
    }
  }
  return beliefs;
}

// One stage: backups at random beliefs until none is left that has not risen.
void stage(PointBounds& bounds, const std::vector<int>& beliefs, Rng& rng,
           const points::Stop& stop) {
  std::vector<double> before;
  for (int node : beliefs) before.push_back(bounds.lower(node));
  std::vector<size_t> left(beliefs.size());
  for (size_t i = 0; i < left.size(); ++i) left[i] = i;
  while (!left.empty() && !stop()) {
    const size_t pick = rng.below(static_cast<uint32_t>(left.size()));
    const int node = beliefs[left[pick]];
    bounds.back_up_lower(node);
    bounds.back_up_upper(node);
    const size_t done = left[pick];
    std::erase_if(left,
                  [&](size_t i) { return i == done || bounds.lower(beliefs[i]) > before[i]; });
  }
}

}  // namespace

Capabilities PerseusSolver::needs() const {
  return Capability::kTable | Capability::kFiniteActions | Capability::kFiniteObservations;
}

Solution PerseusSolver::solve(const Pomdp& model, const Limits& limits, uint64_t seed, ThreadPool&,
                              const Report& report) {
  return points::run_rounds(
      model, limits, report, [&](PointBounds& bounds, const points::Stop& stop) {
        const RngKey key = RngKey::from_seed(seed).fold("perseus");
        const auto beliefs = std::make_shared<const std::vector<int>>(
            random_beliefs(bounds, options_.beliefs, key.fold("walks"), stop));
        return [&bounds, stop, beliefs, key, number = uint64_t{0}]() mutable {
          Rng rng(key.fold("stages"), number++);
          stage(bounds, *beliefs, rng, stop);
          bounds.prune_vectors();
        };
      });
}

}  // namespace penumbra
