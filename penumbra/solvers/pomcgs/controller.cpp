#include <algorithm>

#include "penumbra/policy/fnc.h"
#include "penumbra/solvers/pomcgs/search.h"

namespace penumbra::pomcgs {

Fsc controller_of(const BeliefGraph& graph, const BlindPolicies& blind, int num_observations) {
  Fsc fsc;
  fsc.num_observations = num_observations;
  for (int k = 0; k < blind.size(); ++k) fsc.add_node(blind.action(k));
  std::vector<int> number(graph.size(), -1), open;
  // A node that gains nothing over repeating an action is that policy's node.
  auto best_choice = [&](const Node& node) -> const Choice* {
    const Choice* best = nullptr;
    float value = node.blind_value;
    for (const Choice& c : node.choices)
      if (c.lower > value) {
        value = c.lower;
        best = &c;
      }
    return best;
  };
  auto number_of = [&](int n) {
    if (number[n] >= 0) return number[n];
    const Choice* c = best_choice(graph[n]);
    if (!c) return number[n] = graph[n].blind;
    open.push_back(n);
    return number[n] = fsc.add_node(c->action);
  };
  fsc.start = number_of(0);
  for (size_t i = 0; i < open.size(); ++i) {
    const int n = open[i], node = number[n];
    const Choice& c = *best_choice(graph[n]);
    // An observation that never came is taken for the most likely one.
    int fallback = c.blind;
    float most = -1;
    for (const Edge& e : c.edges)
      if (e.probability > most) {
        most = e.probability;
        fallback = number_of(e.child);
      }
    for (int o = 0; o < num_observations; ++o) fsc.set_edge(node, o, fallback);
    for (const Edge& e : c.edges) fsc.set_edge(node, e.seen, number_of(e.child));
  }
  return reachable(fsc);
}

}  // namespace penumbra::pomcgs
