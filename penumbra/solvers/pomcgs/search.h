// Rounds of trials. A trial walks from b0 through the graph, taking at each node the action with
// the best score
//
//   lower + c (upper - lower) sqrt(ln(N + 1) / N_a),
//
// which is UCB with a width of the node's own: what the action may still gain. An action that was
// never tried counts as its upper value. The trial ends at such an action and tries it. The trials
// of a round see each other's visits but not each other's results, so that their work is done at
// once, on all threads.
#pragma once

#include "penumbra/solvers/pomcgs/belief_graph.h"

namespace penumbra::pomcgs {

class Search {
 public:
  Search(const Pomdp& model, const PomcgsOptions& options, BeliefGraph& graph, RngKey key);

  // One round: trials, new nodes, backups along the trials. `full`: no room for new beliefs.
  void round(uint64_t number, bool full);
  // Rounds since something was tried for the first time.
  int idle() const { return idle_; }

  template <class Archive>
  void archive(Archive& a) {
    a(settle_, idle_);
  }

 private:
  struct Trial {
    std::vector<BeliefGraph::Place> path;
    int node = 0;      // where it is; -1: at its end
    int leaf = -1;     // a node to open
    int tried = 0;     // choices that were new
    double width = 1;  // c
    Rng rng;
  };
  void walk(Trial& trial);
  void probe(std::vector<Trial>& trials, bool full);
  int choose(const Node& node, double width) const;
  bool untried(const BeliefGraph::Place& p) const;
  int next_node(const Choice& choice, Rng& rng) const;
  bool done(const Node& node, size_t depth) const;

  const PomcgsOptions& options_;
  BeliefGraph& graph_;
  RngKey key_;
  size_t depth_;
  double tolerance_;
  uint32_t settle_;  // C_star of now
  int idle_ = 0;
};

}  // namespace penumbra::pomcgs
