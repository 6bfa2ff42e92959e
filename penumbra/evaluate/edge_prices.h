// What it would cost to lead the edges of a controller to other nodes, by paired rollouts from the
// states that come along them.
#pragma once

#include <cstddef>
#include <vector>

#include "penumbra/base/thread_pool.h"
#include "penumbra/evaluate/arrivals.h"
#include "penumbra/evaluate/elimination.h"

namespace penumbra {

constexpr int kStatesOfItsOwn = 32;  // an edge with so many arrivals is judged alone
constexpr int kMostStates = 256;     // that are looked at

// Edges that are led to another node together, because few episodes come along each: one that many
// come along, or all others that lead to the same node.
struct Bundle {
  std::vector<size_t> edges;
  int own = 0;  // the node that they lead to
  double weight = 0;
  RecordBuffer states;
};

// The edges in use, with what each could lead to.
struct Clients {
  std::vector<Bundle> bundle;
  std::vector<EdgeClient> client;
};

// `arrivals` are of this controller. Returns are cut after `max_steps`. The same for any number of
// threads.
Clients price_edges(const Pomdp& model, const Fsc& fsc, const Arrivals& arrivals, RngKey key,
                    int max_steps, ThreadPool& pool);

}  // namespace penumbra
