#include "penumbra/solvers/value_iteration/collect_beliefs.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace penumbra::value_iteration {

// Lines refer to the appendix's algorithm "CollectBeliefs"; its recursion is a loop here.
std::vector<int> collect_beliefs(BeliefTree& tree, const NodeValues& values,
                                 const CollectOptions& options) {
  tree.update_lower(0, values);
  std::vector<int> beliefs{0};
  int node = 0;
  for (int depth = 0; depth < options.max_depth; ++depth) {
    // Line 1: until b0 is known well enough, or L is reached.
    if (!(tree[0].upper - tree[0].lower > options.epsilon)) break;
    // Line 2.
    const std::vector<double>& q = tree[node].q_upper;
    const int action = static_cast<int>(std::max_element(q.begin(), q.end()) - q.begin());
    // Lines 3-7: a child for every observation that can follow, bounded by QMDP.
    tree.expand(node, action);
    const std::vector<BeliefTree::Edge>& edges = tree[node].edges[action];
    if (edges.empty()) break;  // every particle has ended
    // Line 8.
    const double wanted = options.epsilon * std::pow(tree.discount(), -(depth + 1));
    double most = -std::numeric_limits<double>::infinity();
    for (const BeliefTree::Edge& e : edges) {
      tree.update_lower(e.child, values);
      const BeliefTree::Node& child = tree[e.child];
      const double excess = e.probability * (child.upper - child.lower - wanted);
      if (excess <= most) continue;
      most = excess;
      node = e.child;
    }
    beliefs.push_back(node);  // lines 9-10
  }
  for (size_t i = beliefs.size(); i-- > 0;) tree.backup_upper(beliefs[i]);
  return beliefs;  // line 11
}

}  // namespace penumbra::value_iteration
