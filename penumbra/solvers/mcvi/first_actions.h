// The actions of a model as the run without clusters goes through them: all of a finite set; of a
// box some to begin with, and those that are tried at a belief.
#pragma once

#include <optional>
#include <vector>

#include "penumbra/model/action_stock.h"
#include "penumbra/solvers/controller/sequence_plan.h"
#include "penumbra/solvers/mcvi/likelihood_backup.h"

namespace penumbra::mcvi {

class FirstActions {
 public:
  // Of a box: `count` to begin with where the domain has no hints, `tried` at a belief.
  FirstActions(const Pomdp& model, int count, int tried);

  // The model with these actions.
  const Pomdp& table() const { return stock_ ? static_cast<const Pomdp&>(*stock_) : model_; }
  int count() const { return table().facts().num_actions; }
  NodeAction action(int number) const;
  // Of a box: sequences of actions.
  std::optional<controller::SequencePlan> plan(const MdpValue& values) const;
  // Of a box: what was done, what the node does, and in turn a first one, one of another node, one
  // from around a wanted one, one from anywhere. Of a finite set: all.
  std::vector<NodeAction> proposed(const LikelihoodController& controller, int node,
                                   const NodeAction& done, RngKey key) const;

 private:
  const Pomdp& model_;
  int tried_;
  std::optional<ActionStock> stock_;
};

}  // namespace penumbra::mcvi
