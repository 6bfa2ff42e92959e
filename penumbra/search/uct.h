// What pomcp, pomcpow and pft have in common besides upper_confidence.h: their options, and what
// they do before the first descent and after the last one.
#pragma once

#include "penumbra/base/moments.h"
#include "penumbra/search/any_action.h"
#include "penumbra/search/leaf_batch.h"
#include "penumbra/search/search.h"
#include "penumbra/search/upper_confidence.h"

namespace penumbra::search {

struct UctOptions {
  double exploration = 0;  // c; 0: from what descents find
  int depth = 0;           // where the leaf is asked at the latest; 0: discount^depth < 0.01
  int power = 0;           // of visits in a belief's value, see back_up; 0: 1 if the leaf is
                           // optimistic, else 4
  int wave = 32;           // descents at once
};
UctOptions read_uct_options(Params& params, UctOptions defaults = {});
// With what was left open filled in; the exploration stays open.
UctOptions resolve(UctOptions options, const Facts& facts, const Leaf& leaf);

// So many descents at once: few while little is known.
inline size_t wave_after(uint64_t done, int most) {
  return std::min<uint64_t>(most, 1 + done / 4);
}

// c. Where none was given it is two standard deviations of what descents found so far, beginning
// with what the leaf says about the root, or a small share of the range of rewards if that is more.
// With an optimistic leaf it is half a deviation: what has not been tried looks good by itself.
class Exploration {
 public:
  Exploration(const UctOptions& options, const Facts& facts, const Leaf& leaf)
      : given_(options.exploration),
        least_(kLeast * (facts.max_reward - facts.min_reward)),
        deviations_(leaf.optimistic() ? 0.5 : 2) {}
  void begin() { results_ = {}; }
  void add(double result) { results_.add(result); }
  double mean() const { return results_.estimate().mean; }
  double constant() const;

 private:
  static constexpr double kLeast = 0.02;
  double given_, least_, deviations_;
  Moments results_;
};

// What the leaf says about the root.
void ask_at_root(const Pomdp& model, ConstRecords states, int node, LeafBatch& leaves, RngKey key,
                 Exploration& exploration);

// One step of every lane, `results.next` being where they are; over threads when there are many.
void step_lanes(const Pomdp& model, ConstRecords action, Streams streams,
                const StepResults& results, ThreadPool* pool);

// The best action of a tree, or the leaf's where no descent was made.
template <class Tree>
Decision decision_of(const Pomdp& model, const Tree& tree, const Leaf& leaf, int deepest) {
  Decision decision;
  const auto& root = tree.belief(0);
  decision.action.resize(model.action_size());
  decision.node = root.node;
  decision.beliefs = tree.num_beliefs();
  decision.depth = deepest;
  if (const int best = best_edge(tree, 0); best >= 0) {
    std::copy_n(tree.action(best), model.action_size(), decision.action.begin());
    decision.value = tree.edge(best).value;
    return decision;
  }
  decision.value = root.value;
  decision.by_search = false;
  if (!leaf.default_action(root.node, decision.action.data()))
    plain_action(model.facts(), decision.action.data());
  return decision;
}

}  // namespace penumbra::search
