// Search between a lower value (the guide, by simulation) and an upper one (V_mdp or less): go
// where the gap at the root comes from, expand, back up. DESPOT and AdaOPS differ in how a belief
// is expanded; the rest is here.
#pragma once

#include "penumbra/bounds/mdp_value.h"
#include "penumbra/search/bound_tree.h"
#include "penumbra/search/deadline.h"
#include "penumbra/search/guide_values.h"
#include "penumbra/search/search.h"

namespace penumbra::search {

struct BoundOptions {
  int depth = 90;
  double xi = 0.95;        // share of the root's gap that a trial aims at
  double gap = 1e-3;       // at the root: small enough
  double price = 0;        // lambda: what every action of the plan must be worth
  int judges = 2048;       // fresh states on which a plan must beat a controller from a file
  double accept_z = 3;     // by so many standard errors
  bool deep = true;        // a descent goes on from what it has expanded
  bool keep_least = true;  // upper values never rise; without it their means are upper bounds
  bool guided = true;      // false: without simulating the guide; lower values say nothing
  bool networks = true;    // leaves by the controller's networks, where it has some
  double megabytes = 1000;
};

// How a planner makes a belief's successors.
class Expander {
 public:
  virtual ~Expander() = default;
  // The root's states, from a belief: `most` of them where that is less than it would take.
  virtual void begin(const Root& root, size_t most, BoundTree& tree, RngKey key) = 0;
  // Adds every action and its successors with their states and shares, and sets the rewards,
  // weighted, without the price.
  virtual void expand(BoundTree& tree, int b) = 0;
  virtual uint64_t steps() const = 0;
};

class BoundSearch final : public Search {
 public:
  BoundSearch(const Guide& guide, const MdpValue& values, const BoundOptions& options,
              std::unique_ptr<Expander> expander, ThreadPool* pool);

  Decision plan(const Root& root, const Budget& budget, RngKey key) override;
  std::vector<TreeRow> rows(int levels, int most) const override;

  // The same piece by piece: a new tree, and descents as long as anything is left to find.
  void begin(const Root& root, const Budget& budget, RngKey key);
  bool descend();
  // Whether this action, and then the guide, is clearly better than the guide alone, on fresh
  // states. After begin().
  bool accepts(const Root& root, int action, RngKey key);
  int node() const { return tree_.belief(0).node; }         // of the guide at the root
  double guided() const { return tree_.belief(0).guided; }  // the guide alone, at the root
  uint64_t steps() const;

  const BoundTree& tree() const { return tree_; }
  // The plan as nodes behind those of the guide: its first one. -1: the plan is the guide.
  // `beliefs`, if given, receives the belief that each of them is for.
  int append_plan(Fsc& fsc, std::vector<int>* beliefs = nullptr) const;

 private:
  bool has_room() const;
  bool by_networks() const;
  void set_root(const Root& root, const Deadline& deadline, RngKey key);
  void take_states(const Root& root, size_t most, RngKey key);
  bool has_time_for(int b, const Deadline& deadline) const;
  bool trial(const Deadline& deadline);
  void expand(int b);
  void expand_timed(int b, const Deadline& deadline);
  size_t work(int b) const;
  void evaluate_children(int b);
  void evaluate_states(size_t begin, size_t count);
  double upper_of(size_t begin, size_t count) const;
  bool keeps_guided() const;
  double least_value() const;
  void best_blind(const GuideQuery& query, size_t begin);
  void guide_children(const GuideQuery& query, size_t begin);
  void close(int b);
  void back_up(int b);
  void update(int b);
  bool blocked(int b) const;
  int next_child(int b) const;
  double gap(int b) const { return tree_.belief(b).upper - tree_.belief(b).lower; }
  double scale(int b) const { return tree_.belief(b).share * power_[tree_.belief(b).depth]; }
  int append(int b, Fsc& fsc, std::vector<int>& beliefs) const;
  void choose_node(const Root& root, RngKey key);
  bool is_better(const Root& root, const Fsc& fsc, int challenger, int champion, RngKey key);
  void plan_judging(Deadline& deadline);

  const Guide& guide_;
  const MdpValue& values_;
  size_t width_;  // vectors of the upper value
  BoundOptions options_;
  std::unique_ptr<Expander> expander_;
  GuideValues guide_values_;
  Rollouts judge_rollouts_;
  BoundTree tree_;
  std::vector<double> power_;  // of the discount
  std::vector<size_t> moved_;
  RecordBuffer moved_states_;
  std::vector<uint64_t> moved_ids_;
  std::vector<double> moved_upper_, lower_of_child_;
  std::vector<float> moved_guided_;
  std::vector<int> node_of_child_;
  // Seconds per state and action of an expansion: lately, and of roots, which are the longest.
  double pace_ = 0, root_pace_ = 0;
  double judge_pace_ = 0;  // seconds per judge
  size_t judges_ = 0;      // of this decision: fewer where time is short
};

}  // namespace penumbra::search
