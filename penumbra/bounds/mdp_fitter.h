// The work behind fit_mdp_value: walks, searches and fits. Everything is a function of the model,
// the options and the key; threads only share out fixed pieces, and ask `stop` (base/stop.h) at the
// same time.
#pragma once

#include <memory>
#include <vector>

#include "penumbra/bounds/fitted_mdp_value.h"
#include "penumbra/bounds/mdp_value.h"
#include "penumbra/bounds/state_graph.h"

namespace penumbra {

class MdpFitter {
 public:
  MdpFitter(const Pomdp& model, const MdpValueOptions& options, RngKey key, ThreadPool& pool,
            const Stop& stop = {});

  // The solved graph of everything that b0 leads to, or null if it is too large or was stopped.
  std::unique_ptr<StateGraph> solve_whole();
  // For states outside that graph: a network, or a constant if it was stopped.
  std::unique_ptr<MdpValue> fit_to(const StateGraph& graph);
  // The rounds of search and fit; when it is stopped, those that were done.
  std::unique_ptr<MdpValue> fit_by_search();

 private:
  // States to learn from and their values.
  struct Rows {
    RecordBuffer states;
    std::vector<float> targets;
    void add(const StateGraph& graph, size_t state);
    void append(const Rows& more);
    void keep_last(size_t count);
  };

  std::vector<float> blind_values(ConstRecords states, RngKey key) const;
  void run_greedy(Records states, RngKey key) const;
  void size_searches();
  Rows search(const std::byte* start, RngKey key) const;
  Rows search_round(int round) const;
  double disagreement(const Rows& rows) const;
  // Keeps the value as it was if it is stopped.
  void fit(const Rows& rows, int passes, double rate, RngKey key);
  std::unique_ptr<MdpValue> fitted();

  const Pomdp& model_;
  MdpValueOptions options_;
  RngKey key_;
  ThreadPool& pool_;
  Stop stop_;
  StateGraphOptions search_;
  int horizon_;
  double tolerance_;
  int walks_;  // of a round
  int rows_per_graph_ = 64;
  std::unique_ptr<NetworkMdpValue> value_;
};

}  // namespace penumbra
