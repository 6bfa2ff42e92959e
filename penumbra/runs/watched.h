// A policy that is watched while one episode is played: where it is a planner, every decision is
// kept, with the part of its tree that people look at.
#pragma once

#include <vector>

#include "penumbra/policy/policy.h"
#include "penumbra/search/online_policy.h"

namespace penumbra {

// For one lane and one thread. The policy outlives it.
class Watched final : public Policy {
 public:
  // `tree_levels`: 0 keeps no trees.
  explicit Watched(const Policy& policy, int tree_levels = 0)
      : policy_(policy),
        planner_(dynamic_cast<const search::OnlinePolicy*>(&policy)),
        tree_levels_(tree_levels) {}

  std::string describe() const override { return policy_.describe(); }
  size_t memory_size() const override { return policy_.memory_size(); }
  void check_model(const Pomdp& model) const override { policy_.check_model(model); }
  void start(Streams streams, Records memory) const override {
    looks_.clear();
    policy_.start(streams, memory);
  }
  void act(Records memory, Streams streams, Records action) const override {
    constexpr int kMostRows = 2000;
    if (!planner_) return policy_.act(memory, streams, action);
    looks_.push_back(planner_->act_and_look(memory, streams, action, tree_levels_,
                                            tree_levels_ > 0 ? kMostRows : 0));
  }
  void observe(Records memory, ConstRecords action, ConstRecords seen,
               Streams streams) const override {
    policy_.observe(memory, action, seen, streams);
  }

  // One per step since the last start; none where the policy is no planner.
  const std::vector<search::OnlinePolicy::Look>& looks() const { return looks_; }

 private:
  const Policy& policy_;
  const search::OnlinePolicy* planner_;
  int tree_levels_;
  mutable std::vector<search::OnlinePolicy::Look> looks_;
};

}  // namespace penumbra
