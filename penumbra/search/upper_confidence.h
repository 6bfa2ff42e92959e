// What planners by upper confidence know about beliefs and actions, and how they choose.
//
//   argmax_a Q(ba) + c N(b)^(1/4) / N(ba)^(1/2),   actions that were never tried first
//
// The fourth root stands where UCB1 has sqrt(ln N): what is known of an action gets better while
// the tree below it grows, and a logarithm does not come back to it often enough (Shah, Xie and Xu
// 2020).
//
// Descents of a wave choose one after the other, before any of them knows what it got: visits count
// those that are under way, values only those that are back (Liu et al. 2020 call it the
// unobserved).
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <span>

namespace penumbra::search {

struct BeliefVisits {
  double value = 0;                 // V(b); a guess while done == 0
  double weight = 0, weighted = 0;  // sums: value = weighted / weight
  int visits = 0;                   // N(b), with those under way
  int done = 0;                     // descents that came through, or ended here, and are back
  int last_tried = -1;              // the edge that was tried for the first time last
  int node = -1;                    // of a controller that goes along
};

struct EdgeVisits {
  double value = 0;   // Q(ba); a guess while done == 0
  double reward = 0;  // sum over those that are back
  double future = 0;  // sum over the beliefs below, done * value
  int visits = 0;     // N(ba), with those under way
  int done = 0;
};

inline double inverse_root(int n) {
  static const auto table = [] {
    std::array<double, 1024> roots{};
    for (size_t i = 1; i < roots.size(); ++i) roots[i] = 1 / std::sqrt(double(i));
    return roots;
  }();
  return n < 1024 ? table[n] : 1 / std::sqrt(double(n));
}

// The edge to descend along; counts the visit.
template <class Tree>
int choose_edge(Tree& tree, int b, double exploration) {
  auto& belief = tree.belief(b);
  ++belief.visits;
  const int untried =
      belief.last_tried < 0 ? belief.first_edge : tree.edge(belief.last_tried).sibling;
  if (untried >= 0) {
    belief.last_tried = untried;
    tree.edge(untried).visits = 1;
    return untried;
  }
  const double scale = exploration * std::sqrt(std::sqrt(double(belief.visits)));
  int best = belief.first_edge;
  double most = -std::numeric_limits<double>::infinity();
  for (int e = belief.first_edge; e >= 0; e = tree.edge(e).sibling) {
    const auto& edge = tree.edge(e);
    const double score = edge.value + scale * inverse_root(edge.visits);
    if (score <= most) continue;
    most = score;
    best = e;
  }
  ++tree.edge(best).visits;
  return best;
}

inline double power_of(int n, int power) {
  double result = n;
  for (int k = 1; k < power; ++k) result *= n;
  return result;
}

// Takes back what a descent found: its edges and rewards from the root on, and the belief where the
// leaf was asked (-1: it ended in a terminal state). What a belief is worth is the mean of its
// actions (and of the leaf), weighted by visits to the `power`: 1 is the mean of all descents, with
// the price of exploring in it; high powers are the action that is taken most.
template <class Tree>
void back_up(Tree& tree, std::span<const int> edges, std::span<const float> rewards,
             int leaf_belief, double leaf_value, int power, double discount) {
  double change = 0;  // of done * value of the belief below
  if (leaf_belief >= 0) {
    auto& leaf = tree.belief(leaf_belief);
    leaf.weight += 1;
    leaf.weighted += leaf_value;
    const double before = leaf.done * leaf.value;
    leaf.value = leaf.weighted / leaf.weight;
    change = ++leaf.done * leaf.value - before;
  }
  for (size_t d = edges.size(); d-- > 0;) {
    auto& edge = tree.edge(edges[d]);
    auto& belief = tree.belief(edge.belief);
    const double old_weight = power_of(edge.done, power), old = old_weight * edge.value;
    edge.reward += rewards[d];
    edge.future += change;
    edge.value = (edge.reward + discount * edge.future) / ++edge.done;
    const double weight = power_of(edge.done, power);
    belief.weight += weight - old_weight;
    belief.weighted += weight * edge.value - old;
    const double before = belief.done * belief.value;
    belief.value = belief.weighted / belief.weight;
    change = ++belief.done * belief.value - before;
  }
}

// The edge that looks best, of those that something is known about; -1: there is none.
template <class Tree>
int best_edge(const Tree& tree, int b) {
  int best = -1;
  for (int e = tree.belief(b).first_edge; e >= 0; e = tree.edge(e).sibling)
    if (tree.edge(e).done > 0 && (best < 0 || tree.edge(e).value > tree.edge(best).value)) best = e;
  return best;
}

}  // namespace penumbra::search
