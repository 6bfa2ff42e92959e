// A smaller controller that does nearly as well. Nodes that are hardly visited go, and so do nodes
// in whose place another does as well in the states that come there. In rounds:
//
//   1. simulate: in which states episodes come along each edge (arrivals.h)
//   2. by paired rollouts from these states: what it costs to lead edges to other nodes
//      (edge_prices.h)
//   3. plan in which order nodes go, cheapest first (elimination.h)
//   4. let them go, many at a time, while a simulation of all that is left, paired with the
//      controller that was given, finds no more lost than the price of the round; minimise
//
// The price of a node rises from round to round, up to all that is left of the budget. Edges that
// were never taken are free: where their node has gone they follow what leaves the same node most
// often. What is returned was scored on episodes that had no part in its making.
#pragma once

#include <functional>
#include <string>

#include "penumbra/evaluate/score.h"
#include "penumbra/policy/fsc.h"

namespace penumbra {

struct ShrinkOptions {
  double loss = 0;              // of value; 0: one standard error of the score with `episodes`
  uint64_t episodes = 100'000;  // for each of: choosing, and the final comparison
  uint64_t seed = 1;
  int max_steps = 0;  // 0: as evaluate
  int max_rounds = 12;
  std::function<void(const std::string&)> tell{};  // a line after every round
  std::function<bool()> cancelled{};               // asked between rounds: what there is counts
};

struct Shrunk {
  Fsc fsc;
  int nodes_before = 0, nodes_minimal = 0;  // as given; and with equal nodes merged
  int rounds = 0;
  double loss = 0;   // that was allowed
  Comparison check;  // a: as given, b: shrunk; on fresh episodes
};

// The same for any number of threads. Observations must be finite.
Shrunk shrink(const Pomdp& model, const Fsc& fsc, const ShrinkOptions& options, ThreadPool& pool);

}  // namespace penumbra
