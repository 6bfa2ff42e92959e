// What pomcp, pomcpow and pft have in common besides upper_confidence.h: their options, and what
// they do before the first descent and after the last one.
#pragma once

#include "penumbra/search/leaf_batch.h"
#include "penumbra/search/search.h"
#include "penumbra/search/upper_confidence.h"

namespace penumbra::search {

struct UctOptions {
  double exploration = 0;  // c; 0: half the range of rewards, or the leaf's spread
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

// What the leaf says about the root, and the c that follows where none was given: half the range of
// one step's rewards, close to what the literature tunes, or the standard deviation of the leaf's
// values where that is more.
struct RootLeaf {
  double value = 0;
  double exploration = 0;
};
RootLeaf ask_at_root(const Pomdp& model, const UctOptions& options, ConstRecords states, int node,
                     LeafBatch& leaves, RngKey key);

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
  if (!leaf.default_action(root.node, decision.action.data()))
    plain_action(model.facts(), decision.action.data());
  return decision;
}

}  // namespace penumbra::search
