// SARSOP (Kurniawati, Hsu, Lee, RSS 2008; with mixed observability: Ong, Png, Hsu, Lee, IJRR 2010).
//
// Beliefs are sampled along paths that start at b0 and follow the action with the highest upper
// bound and the observation whose gap, weighed by its chance, is largest. A path goes on only where
// it may matter at b0: while the upper bound is above what b0 still has to be told (the target), or
// while the beliefs like this one let expect a lower bound that b0 has not got yet. Then both
// bounds are backed up along the path, from its end. Vectors that are best at no belief which an
// optimal plan may reach are dropped.
//
// Both bounds of every line of the log are proven. Needs the explicit table. One result per seed,
// with any number of threads: there is nothing random in it.
#pragma once

#include "penumbra/solvers/solver.h"

namespace penumbra {

struct SarsopOptions {
  double trial_gap = 0.5;  // a path ends at this share of the gap at b0
  bool predict = true;     // selective deep sampling by the values of similar beliefs
  double prune_growth = 0.1;
  void list(OptionList& l) {
    l.add("trial-gap", trial_gap, 0.01, 1, "a path ends at this share of the gap at b0");
    l.add("predict", predict, "go deeper where similar beliefs promise a better plan");
    l.add("prune-growth", prune_growth, 0.01, 10, "drop useless vectors when so many are new");
  }
};

class SarsopSolver final : public Solver {
 public:
  OptionList options() override { return list_options(options_); }
  Capabilities needs() const override;
  Solution solve(const Pomdp& model, const Limits& limits, uint64_t seed, ThreadPool& pool,
                 const Report& report) override;

 private:
  SarsopOptions options_;
};

}  // namespace penumbra
