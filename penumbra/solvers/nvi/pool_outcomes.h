// What one step from each training state leads to, simulated once per action and then used by
// every backup: GenData's targets need no further call of the simulator, and a node's network is
// evaluated once per action at the distinct states that this action leads to.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "penumbra/solvers/nvi/gen_data.h"

namespace penumbra::nvi {

class PoolOutcomes {
 public:
  // `states` must outlive it, as must the others.
  PoolOutcomes(const Pomdp& model, const RecordBuffer& states, int num_sims, RngKey key,
               ThreadPool& pool, Work& work);

  // Y = r + discount * V_{n, s'} of the new node at each state, a mean over num_sims simulations.
  // Empty: too many different outcomes to be kept. Throws Stopped.
  std::vector<float> targets(const Fnc& fnc, const NewNode& node, const Stop& stop);

 private:
  struct Entry {
    int row, next, seen;
    float weight;  // share of the simulations
  };
  struct Action {
    bool too_many = false;
    std::vector<float> reward;  // mean, per state
    std::vector<Entry> entries;
    FeatureBatch next;                             // distinct
    std::map<int, std::vector<float>> function{};  // its values at `next`
  };
  const Action& simulated(int action, const FeatureLayout& layout, const Stop& stop);

  const Pomdp& model_;
  const RecordBuffer& states_;
  int num_sims_;
  RngKey key_;
  ThreadPool& pool_;
  Work& work_;
  std::vector<std::unique_ptr<Action>> actions_;
};

}  // namespace penumbra::nvi
