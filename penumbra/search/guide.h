// The controller that goes along with a search: following it is what a belief is worth at least,
// and what is done where the tree ends. It is a controller from a file, or the blind policies (an
// action for ever) that are best somewhere.
#pragma once

#include <memory>
#include <string>

#include "penumbra/model/pomdp.h"
#include "penumbra/policy/fnc.h"
#include "penumbra/search/search.h"

namespace penumbra::search {

class Guide {
 public:
  // Blind policies that are the best of their kind at b0 or at states of random walks.
  static std::shared_ptr<const Guide> blind(const Pomdp& model, RngKey key);
  // One of them.
  static std::shared_ptr<const Guide> always(const Pomdp& model, int action);
  // Throws Error if the controller is for another model.
  Guide(const Pomdp& model, Fnc controller, std::string name);

  const Pomdp& model() const { return model_; }
  const Fsc& fsc() const { return controller_.fsc; }
  const std::string& name() const { return name_; }
  bool is_blind() const { return blind_; }
  int start() const { return blind_ ? -1 : controller_.fsc.start; }

  // The nodes to try at a belief that came after `action` and `seen` where `node` was: where the
  // controller leads, or what it was about to do before the search did something else.
  void after(int node, int action, int seen, std::vector<int>& out) const;
  // The nodes to try at the root of a search, the likeliest first.
  void at_root(const Root& root, std::vector<int>& out) const;
  bool has_networks() const { return !node_of_.empty(); }
  // Functions that backups made (gated, at anchors): what they say of a belief of theirs is a value
  // to plan with.
  bool networks_are_a_plan() const;
  // The best nodes by the controller's networks for beliefs that are runs of `states`: belief g is
  // [begin[g], begin[g + 1]). `nodes` and `values` get `most` each, best first, -1 where there are
  // fewer.
  void by_networks(ConstRecords states, std::span<const double> weights,
                   std::span<const size_t> begin, int most, std::span<int> nodes,
                   std::span<double> values) const;
  // Where the controller goes by itself; where the action was not its own it stays where it was.
  int follow(int node, int action, int seen) const;
  // The same, and where it stays, what else it may be.
  void follow(int action, int seen, int& node, int& other) const;

  // Steps after which rollouts are cut.
  int depth() const { return depth_; }
  // Of blind policies: the steps that trying all of them from one state takes, about.
  double steps_per_state() const { return steps_per_state_; }

 private:
  Guide(const Pomdp& model, Fsc blind, std::string name);

  const Pomdp& model_;
  Fnc controller_;
  std::string name_;
  bool blind_ = false;
  int depth_;
  double steps_per_state_ = 0;
  std::vector<int> node_of_;  // per network
};

}  // namespace penumbra::search
