// tau(b, a, o) where a part of the state is known (model/mixed_model.h): all successors of a
// belief, or the one that was seen.
#pragma once

#include <vector>

#include "penumbra/model/mixed_model.h"

namespace penumbra {

// Keeps scratch memory: one per thread. The model must outlive it.
class MixedFilter {
 public:
  explicit MixedFilter(const MixedModel& model);

  struct Successor {
    int branch = 0;   // index into branches(part, action)
    int outcome = 0;  // index into the sights of the next part
    double chance = 0;
    HiddenBelief belief;  // normalised
  };
  // Every successor of positive chance, by branch and outcome. `out` keeps its memory.
  void successors(int part, HiddenView belief, int action, std::vector<Successor>& out);
  // One of them.
  double successor(int part, HiddenView belief, int action, int branch, int outcome,
                   HiddenBelief& out);
  // Exact tracking: moves on to what a Pomdp of the table showed. Returns the chance of it; at 0
  // everything stays as it was.
  double track(int& part, HiddenBelief& belief, int action, int seen);

 private:
  // The belief after a branch, before anything is seen: `pushed_`, over `support_`.
  void push(int part, HiddenView belief, const MixedModel::Branch& branch);
  void see(const MixedModel::Sights& sights, int size, int outcome, double* weights) const;

  const MixedModel& model_;
  std::vector<double> pushed_, weights_;
  std::vector<int> support_;
  std::vector<char> marked_;
  bool dense_ = false;  // the support is everything; support_ is not used
};

}  // namespace penumbra
