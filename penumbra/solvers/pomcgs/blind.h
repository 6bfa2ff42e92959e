// The policies that repeat one action for ever, by state: what a belief is worth at least. Nodes
// that the search has not opened yet do what the best of them does.
#pragma once

#include <vector>

#include "penumbra/base/thread_pool.h"
#include "penumbra/bounds/action_study.h"
#include "penumbra/model/pomdp.h"

namespace penumbra::pomcgs {

class BlindPolicies {
 public:
  // Keeps the actions that are the best to repeat in some state of random walks or on average.
  BlindPolicies(const Pomdp& model, const ActionStudy& study, int sims, RngKey key,
                ThreadPool& pool);
  // Of a table, exactly.
  BlindPolicies(const Pomdp& model, const Tabular& table, ThreadPool& pool);

  int size() const { return static_cast<int>(actions_.size()); }
  int action(int k) const { return actions_[k]; }
  // out[i * size() + k]: the return of policy k from state i. State i draws from stream ids[i].
  void values(ConstRecords states, std::span<const uint64_t> ids, std::span<float> out,
              ThreadPool& pool) const;
  double steps() const { return steps_; }

 private:
  void rollouts(ConstRecords states, std::span<const uint64_t> ids, int action,
                std::span<double> out) const;

  const Pomdp& model_;
  std::vector<std::vector<float>> of_state_;  // [policy][state] of a table
  std::vector<char> random_;
  int sims_ = 1, depth_ = 0;
  RngKey key_;
  std::vector<int> actions_;
  double steps_ = 0;
};

}  // namespace penumbra::pomcgs
