// V_mdp from the simulator alone: sample_initial, is_terminal, step and encode. An estimate.
//
// A known state can be searched: from a root the reachable states are found breadth first, equal
// ones merged, and solved as a small table (StateGraph) with a network's values on the fringe. One
// network is fitted to such values and takes the fringe of the next round, so that each round
// looks a whole search further than the last:
//   1. find out whether moves are random and which actions never differ from another;
//   2. if all that b0 leads to is small enough, that graph is the value: a table by hashing;
//   3. otherwise fit the network to the best blind policy, then in each round walk greedily from
//      graph to graph, from states of b0 and of random walks, and fit to states of those graphs
//      (a share gamma^d of them d steps from the root), until the rounds are over.
// Starting below the optimum keeps the network from chasing its own mistakes upwards.
#pragma once

#include <memory>

#include "penumbra/bounds/mdp_value.h"
#include "penumbra/bounds/state_graph.h"
#include "penumbra/nn/mlp.h"

namespace penumbra {

class FittedMdpValue final : public MdpValue {
 public:
  // Throws Error unless the model has finite actions, and features where step 3 is needed.
  FittedMdpValue(const Pomdp& model, const MdpValueOptions& options, RngKey key, ThreadPool& pool);
  ~FittedMdpValue() override;

  void value(ConstRecords state, std::span<double> out) const override;
  bool proven() const override { return false; }
  std::string source() const override { return "fitted"; }
  // Whether all states met are in a table; the network values only others.
  bool complete() const { return graph_ != nullptr; }

 private:
  void predict(ConstRecords state, std::span<double> out) const;

  const Pomdp& model_;
  std::unique_ptr<StateGraph> graph_;  // step 2
  std::unique_ptr<nn::Mlp> network_;   // step 3
};

}  // namespace penumbra
