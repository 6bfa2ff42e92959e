// A planner by upper confidence at work: a new tree, waves of descents, and the best action. What a
// wave does is the planner's own.
#pragma once

#include "penumbra/search/deadline.h"
#include "penumbra/search/descents.h"
#include "penumbra/search/root_sampler.h"
#include "penumbra/search/tree.h"
#include "penumbra/search/tree_rows.h"

namespace penumbra::search {

template <class BeliefData, class EdgeData>
class UctSearch : public Search {
 public:
  // `root_states`: that the leaf is asked about before the first descent.
  UctSearch(const Pomdp& model, const UctOptions& options, const Leaf& leaf, ThreadPool* pool,
            size_t root_states)
      : model_(model),
        uct_(options),
        leaf_(leaf),
        pool_(pool),
        tree_(model.action_size(), model.seen_size()),
        leaves_(model, leaf, pool),
        root_states_(model.state_size(), root_states),
        exploration_(options, model.facts(), leaf),
        descents_(options.wave, options.depth) {}

  Decision plan(const Root& root, const Budget& budget, RngKey key) final {
    Deadline deadline(budget);
    const uint64_t leaf_steps = leaves_.steps();
    begin(root, key);
    uint64_t done = 0;
    while (const size_t count = deadline.room(done, wave_after(done, uct_.wave))) {
      leaves_.clear();
      descents_.begin(count);
      descend(done, count);
      leaves_.run(key.fold("leaf"));
      descents_.back_up_all(tree_, leaves_, uct_.power, model_.facts().discount, exploration_);
      done += count;
    }
    Decision decision = decision_of(model_, tree_, leaf_, deepest_);
    decision.simulations = done;
    decision.steps = steps_ + leaves_.steps() - leaf_steps;
    return decision;
  }

  std::vector<TreeRow> rows(int levels, int most) const final {
    return TreeRows(model_, tree_, levels).likeliest(most);
  }

 protected:
  // A plan begins: the tree has its root, and `root_states_` are drawn.
  virtual void begun() = 0;
  // Descents first, first + 1, ...: their ways into `descents_`, what they ask into `leaves_`.
  virtual void descend(uint64_t first, size_t count) = 0;

  int add_child(int e, const std::byte* seen) {
    const int b = tree_.add_belief(e, seen);
    auto& belief = tree_.belief(b);
    belief.value = tree_.edge(e).value;
    belief.node = leaf_.next_node(tree_.belief(tree_.edge(e).belief).node, tree_.action(e), seen);
    deepest_ = std::max(deepest_, belief.depth);
    return b;
  }

  // One of an action's beliefs, as often as they were met (`times`).
  int draw_child(int e, Rng& rng) const {
    int times = 0;
    for (int b = tree_.edge(e).first_child; b >= 0; b = tree_.belief(b).sibling)
      times += tree_.belief(b).times;
    auto left = static_cast<int>(rng.below(times));
    int b = tree_.edge(e).first_child;
    while ((left -= tree_.belief(b).times) >= 0) b = tree_.belief(b).sibling;
    return b;
  }

  const Pomdp& model_;
  UctOptions uct_;
  const Leaf& leaf_;
  ThreadPool* pool_;
  Tree<BeliefData, EdgeData> tree_;
  LeafBatch leaves_;
  RootSampler sampler_;
  RecordBuffer root_states_;
  RngKey key_;
  Exploration exploration_;
  Descents descents_;
  uint64_t steps_ = 0;  // of the model, without the leaf's

 private:
  void begin(const Root& root, RngKey key) {
    key_ = key;
    steps_ = 0;
    deepest_ = 0;
    tree_.clear();
    sampler_.begin(root);
    sampler_.draw_evenly(root_states_.count(), Rng(key.fold("root leaf"), 0), root_states_);
    begun();
    const int node = root.node >= 0 ? root.node : leaf_.start_node();
    ask_at_root(model_, root_states_, node, leaves_, key.fold("root value"), exploration_);
    tree_.belief(0).value = exploration_.mean();
    tree_.belief(0).node = node;
  }

  int deepest_ = 0;
};

}  // namespace penumbra::search
