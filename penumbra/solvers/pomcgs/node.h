// A node of the belief graph: a belief, its values, and what has been tried there.
#pragma once

#include <cstdint>
#include <vector>

#include "penumbra/solvers/pomcgs/rows.h"

namespace penumbra::pomcgs {

struct Edge {
  int seen = 0, child = 0;
  float probability = 0;
  template <class Archive>
  void archive(Archive& a) {
    a(seen, child, probability);
  }
};

// An action of a node. Before it is tried, `lower` is of doing it once and then following one plan
// (plans.h) whatever is seen.
struct Choice {
  int action = 0, plan = 0, known = -1;  // the best plan of those up to `known`
  float reward = 0, lower = 0, upper = 0;
  uint32_t visits = 0;
  bool tried = false;
  std::vector<Edge> edges;  // by observation; none: the episode ends
  template <class Archive>
  void archive(Archive& a) {
    a(action, plan, known, reward, lower, upper, visits, tried, edges);
  }
};

struct Node {
  int support = -1;            // -1: out of memory, this node stays as it is
  std::vector<float> weights;  // of the support's states, or of those at `places` alone
  std::vector<uint32_t> places{};
  int blind = 0;  // the best policy that repeats an action
  float blind_value = 0, qmdp = 0;
  float lower = 0, upper = 0;
  uint32_t visits = 0;
  int plan = 0, known = -1;     // with borrowing: the best plan, of those up to `known`
  std::vector<Choice> choices;  // none: not opened
  RowView row() const {
    return {places.empty() ? nullptr : places.data(), weights.data(), weights.size()};
  }
  template <class Archive>
  void archive(Archive& a) {
    a(support, weights, places, blind, blind_value, qmdp, lower, upper, visits, plan, known,
      choices);
  }
};

}  // namespace penumbra::pomcgs
