// A state that a trial takes for true: it is drawn from the belief, goes its way, and the trial
// does what would be best if it were known. So a trial pursues one aim for many steps, where the
// best action on average over a wide belief goes nowhere.
#pragma once

#include "penumbra/solvers/pomcgs/node.h"
#include "penumbra/solvers/pomcgs/supports.h"

namespace penumbra::pomcgs {

class Guess {
 public:
  bool made() const { return cell_ >= 0; }
  void drop() { cell_ = -1; }
  void draw(const Supports& supports, const Node& node, Rng& rng);
  // The choice of an open node that is best for the state; ties are broken at random. Drops the
  // guess and returns -1 if the belief excludes the state.
  int choose(const Supports& supports, const Node& node, double discount, Rng& rng);
  // The state takes the action; returns what is seen then. Drops the guess and returns -1 if the
  // episode ends.
  int step(const Supports& supports, const Node& node, int action, Rng& rng);

 private:
  // Its place in a node's support; -1: it is not there.
  int place(const Supports& supports, const Node& node) const;
  int32_t cell_ = -1;
};

}  // namespace penumbra::pomcgs
