// The work behind FittedMdpValue: pilot runs, walks, searches and fits. Everything is a function
// of the model, the options and the key; threads only share out fixed pieces.
#pragma once

#include <memory>
#include <vector>

#include "penumbra/bounds/mdp_value.h"
#include "penumbra/bounds/state_graph.h"
#include "penumbra/nn/mlp.h"

namespace penumbra {

class MdpFitter {
 public:
  MdpFitter(const Pomdp& model, const MdpValueOptions& options, RngKey key, ThreadPool& pool);

  // The solved graph of everything that b0 leads to, or null if it is too large.
  std::unique_ptr<StateGraph> solve_whole();
  // A network for states outside that graph.
  std::unique_ptr<nn::Mlp> fit_to(const StateGraph& graph);
  // The rounds of search and fit.
  std::unique_ptr<nn::Mlp> fit_by_search();

 private:
  // States to learn from and their values.
  struct Rows {
    RecordBuffer states;
    std::vector<float> targets;
    void append(const Rows& more);
  };
  // One greedy walk from graph to graph.
  struct Walk {
    Rows rows;
    size_t graphs = 0, states = 0;
  };

  void study_actions();
  RecordBuffer walk_states(int count, RngKey key) const;
  std::vector<float> blind_values(ConstRecords states, RngKey key) const;
  void take_rows(const StateGraph& graph, int count, Rng& rng, Rows& rows) const;
  void solve(StateGraph& graph) const;
  Walk search(const std::byte* start, int rows_per_graph, RngKey key) const;
  Rows search_round(int round);
  void fit(const Rows& rows, int passes, RngKey key);

  const Pomdp& model_;
  MdpValueOptions options_;
  RngKey key_;
  ThreadPool& pool_;
  StateGraphOptions search_;
  int horizon_;  // steps after which a reward counts for a hundredth
  double tolerance_;
  std::unique_ptr<nn::Mlp> network_;
};

}  // namespace penumbra
