// In which states a controller comes along its edges, by simulation: the beliefs that its nodes are
// for, as samples.
#pragma once

#include <vector>

#include "penumbra/base/thread_pool.h"
#include "penumbra/policy/fsc.h"

namespace penumbra {

// Edge (node, seen) has the number node * num_observations + seen; the last one leads to the start.
struct Arrivals {
  std::vector<double> weight;  // of each edge: discounted arrivals per episode
  std::vector<size_t> first;   // its states are first[e], ..., first[e + 1] - 1
  RecordBuffer states;         // of one edge: drawn by their discount, in random order

  size_t num_edges() const { return weight.size(); }
  ConstRecords of(size_t edge) const {
    return states.sub(first[edge], first[edge + 1] - first[edge]);
  }
};

struct ArrivalOptions {
  uint64_t episodes = 100'000;
  int max_steps = 0;
  // An edge has weight * per_weight states, at least `fewest` and at most `most` where episodes
  // came along it so often.
  double per_weight = 5000;
  int fewest = 8, most = 256;
};

// The same for any number of threads. Actions and observations must be finite.
Arrivals find_arrivals(const Pomdp& model, const Fsc& fsc, const ArrivalOptions& options,
                       RngKey key, ThreadPool& pool);

}  // namespace penumbra
