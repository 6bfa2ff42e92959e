// One walk through a table of cells and the backups of what it met, from its end. It reads the
// vectors of a plan and changes nothing.
#pragma once

#include "penumbra/solvers/cells/cell_plan.h"

namespace penumbra::cells {

struct CellWalk {
  struct Draft {  // a new vector
    int action = 0;
    std::vector<int> next;  // per observation: a vector, or from their number on a draft
    std::vector<float> value;
  };
  std::vector<Draft> drafts;  // in the order in which they were made
  std::vector<int> used;      // vectors that are still wanted
  uint64_t backups = 0;
  bool stopped = false;  // it is not whole
};

// How a walk leaves the plan now and then.
struct Exploration {
  double bursts = 0.05;  // chance at each step to begin one
  double random = 0.1;   // share of them that repeat a random action; others follow the MDP's value
  double inform = 0;     // share of walks that go to where observations say most
};

// A belief gets a new vector if that raises its value by `least_rise`.
CellWalk walk_cells(const CellModel& model, const CellVectors& vectors, float least_rise,
                    const Exploration& exploration, RngKey key, const std::function<bool()>& stop);

}  // namespace penumbra::cells
