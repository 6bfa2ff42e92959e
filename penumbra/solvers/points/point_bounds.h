// Both bounds of a belief graph, and the two backups that tighten them: the parts of which SARSOP,
// HSVI2, PBVI and Perseus are made. Everything is proven at every moment: a vector is the value of
// a plan, and a point of the upper bound is a backup of upper bounds.
#pragma once

#include <deque>
#include <vector>

#include "penumbra/base/thread_pool.h"
#include "penumbra/bounds/explicit_bounds.h"
#include "penumbra/solvers/points/belief_graph.h"
#include "penumbra/solvers/points/sawtooth.h"
#include "penumbra/solvers/points/vector_set.h"

namespace penumbra::points {

class PointBounds {
 public:
  PointBounds(const MixedModel& model, ThreadPool& pool);

  static constexpr int kRoot = 0;
  const MixedModel& model() const { return model_; }
  BeliefGraph& graph() { return graph_; }
  const VectorSet& vectors() const { return vectors_; }
  const Sawtooth& sawtooth() const { return sawtooth_; }
  int num_blind() const { return num_blind_; }

  // The best known bounds of a node, against all vectors and points there are now.
  double lower(int n);
  double upper(int n);
  // The same without comparing anew: proven, maybe looser.
  double known_lower(int n) { return graph_.node(n).lower; }
  double known_upper(int n) { return graph_.node(n).upper; }

  // The action with the highest upper bound. Actions are backed up in the order of their bounds
  // and only until the first stays on top.
  int best_upper_action(int n);
  // The children of an action, computed where they were not yet.
  std::span<const Child> children(int n, int action);
  // V(b) <- max over a of reward + discount * sum over o of P(o) V(tau(b, a, o)). True: it rose.
  // A rise below this share of the node's gap is not worth a vector.
  bool back_up_lower(int n, double least_rise = 0);
  bool back_up_upper(int n);
  // Compares everything that lower backups of these nodes will ask for with the vectors there are
  // now, on all threads. The backups then find little left to do; their result is the same.
  void look_ahead(std::span<const int> nodes);

  // Beliefs are no longer compared with vectors that are best at no open belief which a plan may
  // still want to reach. Those that are best at any other node keep their values: what a node is
  // worth never falls.
  void prune_vectors();
  // Of b0 and the whole episode, finished starts included.
  double root_lower() { return lower(kRoot) * model_.start_chance(); }
  double root_upper() { return upper(kRoot) * model_.start_chance(); }
  uint64_t num_backups() const { return num_backups_; }

  // Into bounds of the same model.
  template <class Archive>
  void archive(Archive& a) {
    a(graph_, vectors_, sawtooth_, num_backups_);
    if constexpr (Archive::kLoading) {
      std::vector<HiddenView> beliefs(sawtooth_.num_points());
      for (int n = 0; n < graph_.num_nodes(); ++n)
        if (graph_.node(n).point >= 0) beliefs.at(graph_.node(n).point) = graph_.node(n).stored;
      sawtooth_.set_beliefs(beliefs);
    }
  }

 private:
  void open(int n);
  void value_fresh(int n, HiddenView belief);
  // Makes children of all of these pairs of node and action, with their bounds, on all threads.
  void expand(std::span<const std::pair<int, int>> pairs);
  void compare(int n, HiddenView belief);
  bool is_behind(int n) {
    return graph_.node(n).vectors_seen != vectors_.newest(graph_.node(n).part);
  }
  void catch_up();
  size_t num_chunks();  // of work for all threads; there is a reader for each
  // Actions that may beat `floor`, by their upper bounds.
  std::vector<int> worth_a_look(int n, double floor);
  double action_upper(int n, int action);
  double action_lower(int n, int action);
  void add_vector(int n, int action);

  const MixedModel& model_;
  ThreadPool& pool_;
  PartActionValues informed_;                             // upper bounds per action
  std::vector<std::vector<const double*>> informed_top_;  // of each part: those that can be best
  BeliefGraph graph_;
  VectorSet vectors_;
  Sawtooth sawtooth_;
  int num_blind_ = 0;
  double tolerance_ = 0;
  uint64_t num_backups_ = 0;
  std::vector<int> behind_;
  std::vector<Expansion> expansions_{1};
  std::deque<BeliefReader> readers_;
  std::vector<double> ahead_;
};

}  // namespace penumbra::points
