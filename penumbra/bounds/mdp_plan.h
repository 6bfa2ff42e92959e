// A plan for one known state: a search of the states ahead with V_mdp on its fringe. Far better
// than one step of looking ahead where V_mdp is fitted, whose small errors can hold a greedy walk
// in place; goal-directed exploration follows such a plan for many steps.
//
//   const MdpPlanner planner(model, *values, key, pool);
//   MdpPlan plan = planner.plan(state, key);          // const, from any thread
#pragma once

#include <vector>

#include "penumbra/bounds/action_study.h"
#include "penumbra/bounds/mdp_value.h"
#include "penumbra/bounds/state_graph.h"

namespace penumbra {

struct MdpPlanOptions {
  int max_states = 512;  // of one search
  int outcomes = 4;      // draws of each action where moves are random
};

// Goes up to the fringe of the search, the end of the episode, the first action whose result is a
// matter of chance, or one that stays in place because nothing better is in sight.
struct MdpPlan {
  std::vector<int> actions;  // empty only for a terminal state
  RecordBuffer states;       // before each action
  double value = 0;          // of the state the plan is for
  bool ends = false;         // the last action ends the episode
};

class MdpPlanner {
 public:
  // Throws Error unless actions are finite. Keeps references, but not `stop` (base/stop.h), which
  // ends the pilot run of the constructor.
  MdpPlanner(const Pomdp& model, const MdpValue& values, RngKey key, ThreadPool& pool,
             const MdpPlanOptions& options = {}, const Stop& stop = {});

  MdpPlan plan(const std::byte* state, RngKey key) const;

 private:
  const Pomdp& model_;
  const MdpValue& values_;
  ActionStudy study_;
  StateGraphOptions search_;
};

// Solves the graph with `values` on its fringe.
void solve_with(StateGraph& graph, const MdpValue& values, double tolerance, const Stop& stop = {});

}  // namespace penumbra
