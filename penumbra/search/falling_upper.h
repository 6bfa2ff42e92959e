// An upper value of b0 that falls the more work goes into it, for every model with V_mdp. Several
// trees, each on scenarios of its own, have V_mdp at their leaves. For the optimal policy what a
// tree knows of its return is a martingale while random numbers are uncovered, V_mdp is never below
// it, and the root takes the best of all policies: so the mean of a root's upper value is no less
// than the optimum, and the trees give it an interval.
//
// A model with a table that is not too large has one search over exact beliefs instead: proven.
#pragma once

#include "penumbra/base/moments.h"
#include "penumbra/base/stop.h"
#include "penumbra/bounds/mdp_value.h"
#include "penumbra/bounds/upper_value.h"
#include "penumbra/search/bound_search.h"
#include "penumbra/search/exact_search.h"

namespace penumbra::search {

// Steps that a solver may spend on it: a few hundredths of its time.
inline double share_for_upper(double simulator_steps, uint64_t backups) {
  return 0.03 * simulator_steps + 500 * static_cast<double>(backups);
}

class FallingUpper {
 public:
  // `first`: the value without a tree. The model and its values outlive it.
  FallingUpper(const Pomdp& model, const MdpValue& values, UpperValue first, RngKey key);

  // Goes on until `steps` of the model have been used in all: a function of that number, whatever
  // was asked for before. Where it is stopped the value is that of less work.
  void spend(double steps, ThreadPool& pool, const Stop& stop);
  // The upper end of the 95 % interval, or the first value where that is smaller.
  UpperValue value() const { return value_; }
  // Of the mean of the trees' roots; empty where there are none.
  const Estimate& interval() const { return interval_; }
  // What was spent, and how much of it were steps of the simulator.
  double steps() const { return steps_; }
  double simulated(double steps) const { return exact_states_ > 0 ? 0 : steps; }

 private:
  void spend_exactly(double steps, const Stop& stop);
  void begin();
  void summarise();

  const Pomdp& model_;
  const MdpValue& values_;
  RngKey key_;
  UpperValue first_, value_;
  Estimate interval_{};
  int exact_states_ = 0;  // of the table; 0: sampled
  std::unique_ptr<ExactSearch> exact_;
  std::shared_ptr<const Guide> guide_;
  std::vector<std::unique_ptr<BoundSearch>> trees_;
  std::vector<char> open_;  // whether descents still find something
  double steps_ = 0;
};

}  // namespace penumbra::search
