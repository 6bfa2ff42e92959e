// One walk through beliefs and the backups of what it met, from its end, on gated heads and without
// rollouts. It reads the heads of a plan and changes nothing.
#pragma once

#include "penumbra/base/stop.h"
#include "penumbra/bounds/mdp_value.h"
#include "penumbra/policy/fsc.h"
#include "penumbra/solvers/controller/path_belief.h"
#include "penumbra/solvers/nvi/gated_heads.h"

namespace penumbra::nvi {

// What walks share; all of it is only read.
struct HeadWalkContext {
  const Pomdp& model;
  const MdpValue& values;
  const SampleModel& samples;
  const GatedHeads& heads;
  const Fsc& nodes;  // the plan: node n has function n
  controller::PathBeliefOptions belief;
  int depth;         // longest walk and rollout
  float least_rise;  // of a belief that is worth a node
};

struct HeadWalk {
  struct Draft {  // a new node
    int action = 0;
    std::vector<int> next;  // per observation: a node, or from their number on a draft
    struct Head {
      int category;
      std::vector<float> weights;
    };
    std::vector<Head> heads;  // one per category of the belief
  };
  struct Correction {
    int node;  // or from their number on a draft
    int category;
    float difference;
    int visits;
  };
  std::vector<Draft> drafts;  // in the order in which they were made
  std::vector<int> used;      // nodes that are still wanted
  std::vector<Correction> corrections;
  uint64_t backups = 0, steps = 0;
  bool stopped = false;  // it is not whole
};

HeadWalk walk_heads(const HeadWalkContext& context, RngKey key, const Stop& stop);

}  // namespace penumbra::nvi
