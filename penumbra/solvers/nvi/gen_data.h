// GenData of Algorithm 3: states to train a new node's network on, and its value at each of them.
#pragma once

#include <span>
#include <vector>

#include "penumbra/base/stop.h"
#include "penumbra/nn/value_bank.h"
#include "penumbra/policy/fnc.h"
#include "penumbra/solvers/value_iteration/belief_tree.h"

namespace penumbra::nvi {

// A node that is not part of the controller yet: its action, and a node for every observation.
// Its own number to be, fsc.num_nodes(), is allowed among them.
struct NewNode {
  int action = 0;
  std::vector<int> edges;
};

// X: distinct states that are not terminal, each from an episode of random actions cut at a depth
// drawn uniformly from [0, max_depth]. Fewer than `count` when no more turn up.
RecordBuffer sample_states(const Pomdp& model, int count, int max_depth, RngKey key,
                           ThreadPool& pool, Work& work);

enum class Targets {
  kBootstrap,  // r + discount * alpha(s') of the next node's network, as printed
  kRollout,    // returns of whole episodes through the controller
};

struct GenDataOptions {
  int num_sims = 100;  // nb_sim: simulations per state
  Targets targets = Targets::kBootstrap;
  double tail = 0.01;  // rollouts end where what is left is worth less than this
};

// Y: the value of the new node at each state, a mean over num_sims simulations. With an empty
// controller always by rollouts: the node then repeats its action for ever. Throws Stopped.
std::vector<float> make_training_set(const Pomdp& model, const Fnc& fnc, const NewNode& node,
                                     ConstRecords states, const GenDataOptions& options, RngKey key,
                                     ThreadPool& pool, Work& work, const Stop& stop = {});

}  // namespace penumbra::nvi
