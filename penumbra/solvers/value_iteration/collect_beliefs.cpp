#include "penumbra/solvers/value_iteration/collect_beliefs.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace penumbra::value_iteration {

namespace {

int best_upper(BeliefTree& tree, int node, bool look_ahead) {
  if (look_ahead) {
    for (int a = 0; a < static_cast<int>(tree[node].edges.size()); ++a) tree.expand(node, a);
    tree.backup_upper(node);
  }
  const std::vector<double>& q = tree[node].q_upper;
  return static_cast<int>(std::max_element(q.begin(), q.end()) - q.begin());
}

// The child of most weighted excess uncertainty.
int most_excess(BeliefTree& tree, const std::vector<BeliefTree::Edge>& edges,
                const NodeValues& values, double wanted) {
  double most = -std::numeric_limits<double>::infinity();
  int chosen = edges[0].child;
  for (const BeliefTree::Edge& e : edges) {
    tree.update_lower(e.child, values);
    const BeliefTree::Node& child = tree[e.child];
    const double excess = e.probability * (child.upper - child.lower - wanted);
    if (excess <= most) continue;
    most = excess;
    chosen = e.child;
  }
  return chosen;
}

int drawn(const std::vector<BeliefTree::Edge>& edges, Rng rng) {
  std::vector<double> weights;
  for (const BeliefTree::Edge& e : edges) weights.push_back(e.probability);
  return edges[rng.categorical(weights)].child;
}

}  // namespace

// Lines refer to the appendix's algorithm "CollectBeliefs"; its recursion is a loop here.
std::vector<int> collect_beliefs(BeliefTree& tree, const NodeValues& values,
                                 const CollectOptions& options) {
  tree.update_lower(0, values);
  std::vector<int> beliefs{0};
  int node = 0;
  bool following = options.follow;
  for (int depth = 0; depth < options.max_depth; ++depth) {
    if (asked_to_stop(options.stop)) return {};
    // Line 1: until b0 is known well enough, or L is reached.
    if (!(tree[0].upper - tree[0].lower > options.epsilon)) break;
    // Line 2.
    Rng rng(options.key, static_cast<uint64_t>(depth));
    if (following) {
      tree.update_lower(node, values);
      following = tree[node].best >= 0 && !rng.bernoulli(options.leave);
    }
    const int action =
        following ? options.actions[tree[node].best] : best_upper(tree, node, options.look_ahead);
    // Lines 3-7: a child for every observation that can follow, bounded by QMDP.
    tree.expand(node, action);
    const std::vector<BeliefTree::Edge>& edges = tree[node].edges[action];
    if (edges.empty()) break;  // every particle has ended
    // Line 8.
    const double wanted = options.epsilon * std::pow(tree.discount(), -(depth + 1));
    node = options.follow ? drawn(edges, rng) : most_excess(tree, edges, values, wanted);
    beliefs.push_back(node);  // lines 9-10
  }
  for (size_t i = beliefs.size(); i-- > 0;) tree.backup_upper(beliefs[i]);
  return beliefs;  // line 11
}

}  // namespace penumbra::value_iteration
