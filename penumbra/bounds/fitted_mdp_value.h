// V_mdp from the simulator alone: sample_initial, is_terminal, step and encode. An estimate.
//
// A known state can be searched: from a root the reachable states are found breadth first, equal
// ones merged, and solved as a small table (StateGraph) with a network's values on the fringe. One
// network is fitted to such values and takes the fringe of the next round, so that each round
// looks a whole search further than the last:
//   1. find out whether moves are random and which actions never differ from another;
//   2. if all that b0 leads to is small enough, that graph is the value: a table by hashing;
//   3. otherwise fit the network to the best blind policy, then in each round walk greedily from
//      graph to graph, starting at states of b0, of random walks and of the network's own greedy
//      policy, and fit to states of those graphs (a share gamma^d of them d steps from the root),
//      until the rounds are over or the searches agree with the network.
// Starting below the optimum keeps the network from chasing its own mistakes upwards.
#pragma once

#include <memory>

#include "penumbra/bounds/mdp_value.h"
#include "penumbra/bounds/state_graph.h"
#include "penumbra/nn/mlp.h"

namespace penumbra {

// A network as an MDP value; terminal states are worth 0. Keeps a reference to the model.
class NetworkMdpValue final : public MdpValue {
 public:
  NetworkMdpValue(const Pomdp& model, nn::Mlp network);

  void value(ConstRecords state, std::span<double> out) const override;
  bool proven() const override { return false; }
  std::string source() const override { return "fitted"; }
  const nn::Mlp& network() const { return network_; }

 private:
  const Pomdp& model_;
  FeatureLayout layout_;
  nn::Mlp network_;
};

// The values of a graph that closed; others by `rest`, or 0 without one.
class GraphMdpValue final : public MdpValue {
 public:
  GraphMdpValue(std::unique_ptr<StateGraph> graph, std::unique_ptr<MdpValue> rest)
      : graph_(std::move(graph)), rest_(std::move(rest)) {}

  void value(ConstRecords state, std::span<double> out) const override;
  bool proven() const override { return false; }  // states unseen, chance sampled
  std::string source() const override { return "fitted"; }

 private:
  std::unique_ptr<StateGraph> graph_;
  std::unique_ptr<MdpValue> rest_;
};

// The same for every state that goes on: what is known before anything is fitted.
class ConstantMdpValue final : public MdpValue {
 public:
  // No state is worth more than the best reward for ever. Keeps a reference to the model.
  explicit ConstantMdpValue(const Pomdp& model);

  void value(ConstRecords state, std::span<double> out) const override;
  bool proven() const override { return false; }
  std::string source() const override { return "fitted"; }

 private:
  const Pomdp& model_;
  double most_;
};

// Throws Error unless the model has finite actions, and features where a network is needed. With
// `stop` (base/stop.h: asked from several threads at once) the value is what was fitted until then,
// or one number for all states.
std::unique_ptr<MdpValue> fit_mdp_value(const Pomdp& model, const MdpValueOptions& options,
                                        RngKey key, ThreadPool& pool, const Stop& stop = {});

}  // namespace penumbra
