// Rounds of trials. A trial walks from b0 through the graph and follows the plan found so far: the
// action with the greatest `lower`. Now and then it explores for some steps: either as if a state
// drawn from the belief were true (guess.h), or by the best
//
//   lower + c (upper - lower) sqrt(ln(N + 1) / N_a),
//
// which is UCB with a width of the node's own: what the action may still gain. Actions that were
// never tried are tried on the way. The trials of a round see each other's visits but not each
// other's results, so that their work is done at once, on all threads.
#pragma once

#include "penumbra/solvers/pomcgs/guess.h"
#include "penumbra/solvers/pomcgs/search_graph.h"

namespace penumbra::pomcgs {

class Search {
 public:
  // Not `bounded`: upper values are none of all actions, and where they meet the lower ones tells
  // nothing.
  Search(const Pomdp& model, const PomcgsOptions& options, SearchGraph& graph, RngKey key,
         bool bounded = true);

  // One round: trials, new nodes, backups along the trials. `full`: no room for new beliefs.
  void round(uint64_t number, bool full);
  // Rounds since something was tried for the first time.
  int idle() const { return idle_; }

  template <class Archive>
  void archive(Archive& a) {
    a(idle_);
  }

 private:
  struct Trial {
    std::vector<SearchGraph::Place> path;
    int node = 0;       // where it is; -1: at its end
    int leaf = -1;      // a node to open
    int exploring = 0;  // steps that are left of a burst
    double width = 0;   // c
    Guess guess;
    int seen = -1;  // by the guessed state; -1: draw it
    Rng rng{{}, 0};
  };
  void walk(Trial& trial);
  bool probe(std::vector<Trial>& trials, bool full);  // false: there was nothing to try
  int choose(const Node& node, Trial& trial);
  int choose(const Node& node, double width) const;
  bool untried(const SearchGraph::Place& p) const;
  int next_node(const Choice& choice, Trial& trial) const;
  bool done(const Node& node, size_t depth) const;

  const PomcgsOptions& options_;
  SearchGraph& graph_;
  RngKey key_;
  bool by_chance_;  // observations are drawn so
  size_t depth_;
  double tolerance_;
  int idle_ = 0;
};

}  // namespace penumbra::pomcgs
