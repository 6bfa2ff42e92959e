// What to do from a belief on: an action, and for every observation a plan that is there already.
// A plan knows its worth from every state of its support, so that any belief over these states can
// borrow it: its value there is a product of two rows. ConditionalPlans never change; a belief that
// finds a better one changes to that.
//
// The first plans repeat one action for ever (blind.h) and are known for every state.
#pragma once

#include <deque>
#include <vector>

#include "penumbra/policy/fsc.h"
#include "penumbra/solvers/pomcgs/node.h"
#include "penumbra/solvers/pomcgs/plan_blocks.h"
#include "penumbra/solvers/pomcgs/supports.h"

namespace penumbra::pomcgs {

struct ConditionalPlan {
  int support = -1, action = 0;
  std::vector<int> seen, next;  // observation and plan, side by side
  std::vector<float> alpha;     // its value from each state of the support; empty: forgotten
  bool listed = true;           // beliefs are compared with it
  template <class Archive>
  void archive(Archive& a) {
    a(support, action, seen, next, alpha, listed);
  }
};

class ConditionalPlans {
 public:
  ConditionalPlans(const Pomdp& model, const Supports& supports, const BlindPolicies& blind);

  int count() const { return num_blind_ + static_cast<int>(plans_.size()); }
  // Takes the best of the plans that have been added since `known`, if it is better than `best`.
  void borrow(int support, RowView row, int& known, int& plan, float& best) const;
  bool news(int support, int known) const;
  // The plan that does `choice` and then what its children do.
  ConditionalPlan make(const Node& node, const Choice& choice, const std::deque<Node>& nodes) const;
  float value(const ConditionalPlan& plan, const Node& node) const;
  int add(ConditionalPlan plan);
  // Forgets the values of plans that no node follows, and all of those that none leads to. Where
  // there is one support, those that leaves alone follow are not offered to others any more.
  void prune(const std::deque<Node>& nodes);
  size_t listed() const { return blocks_.count(); }

  // Appends the nodes of a plan and of all it leads to, save those that have a number; returns its
  // own. The first nodes of the controller are the blind plans; `number` has one item per plan.
  int append(Fsc& fsc, std::vector<int>& number, int plan) const;
  double bytes() const { return bytes_; }

  template <class Archive>
  void archive(Archive& a) {
    a(plans_);
    if constexpr (Archive::kLoading) restore();
  }

 private:
  void restore();
  void list_again();
  double bytes_of(const ConditionalPlan& plan) const;
  // The values of a plan on a support; `room` is used where they have to be put together.
  const float* alpha_on(int plan, int support, std::vector<float>& room) const;

  const Supports& supports_;
  int num_blind_;
  double discount_;
  float worst_;  // what a state is worth that a plan knows nothing of
  std::deque<ConditionalPlan> plans_;
  std::vector<std::vector<int>> of_support_;  // ascending
  PlanBlocks blocks_;                         // all of them, where there is one support
  double bytes_ = 0;
};

}  // namespace penumbra::pomcgs
