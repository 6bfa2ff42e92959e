// The tree of planners that search between two bounds. Values of beliefs and edges are weighted:
// by discount^depth and by the chance of being there, given the actions. They add up.
#pragma once

#include <vector>

#include "penumbra/search/tree.h"

namespace penumbra::search {

struct BoundBelief {
  size_t first = 0, count = 0;  // its states in the tree's arena
  double share = 1;             // chance of being here
  double guided = 0;            // by following the guide
  double lower = 0, upper = 0;  // weighted
  double least_upper = 0;       // the same without the price of an action, not weighted
  int node = -1;                // of the guide
  int best = -1;                // edge of the lower value; -1: the guide
};

struct BoundEdge {
  double reward = 0;  // weighted, less the price of an action
  double lower = 0, upper = 0;
};

struct BoundTree : Tree<BoundBelief, BoundEdge> {
  BoundTree(size_t state_size, size_t action_size, size_t seen_size)
      : Tree(action_size, seen_size), states(state_size) {}

  RecordBuffer states;          // of all beliefs
  std::vector<double> weights;  // of the states; empty: equal in every belief
  std::vector<uint64_t> ids;    // of their random numbers
  // The state that each came from, and what is known of each: where nothing moved it is the same.
  // Only where scenarios are followed; empty otherwise.
  std::vector<uint32_t> origin;
  std::vector<double> upper;  // row-major [state][vector of the upper value]
  std::vector<float> guided;  // row-major [state][node], by a guide of blind policies

  ConstRecords states_of(int b) const { return states.sub(belief(b).first, belief(b).count); }
};

}  // namespace penumbra::search
