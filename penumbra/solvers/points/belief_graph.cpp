#include "penumbra/solvers/points/belief_graph.h"

#include <algorithm>
#include <cstring>

namespace penumbra::points {

BeliefGraph::BeliefGraph(const MixedModel& model) : model_(model), reader_(model) {
  Node root;
  root.part = model.start_part();
  root.stored = keep(model.start().view());
  index_.emplace(key_of(root.part, root.stored), 0);
  nodes_.push_back(root);
}

// Beliefs are equal when they agree to 2^-40: two orders of the same observations differ by their
// rounding only.
BeliefKey BeliefGraph::key_of(int part, HiddenView belief) {
  constexpr double kScale = 1099511627776.0;
  BeliefKey key{0x9e3779b97f4a7c15u * uint64_t(part + 1), 0xc2b2ae3d27d4eb4fu ^ uint64_t(part)};
  for (size_t i = 0; i < belief.size(); ++i) {
    const auto rounded = static_cast<uint64_t>(belief.value[i] * kScale + 0.5);
    if (rounded == 0) continue;
    const uint64_t word = rounded ^ (uint64_t(belief.at(i)) << 42);
    key.a = (key.a ^ word) * 0xff51afd7ed558ccdu;
    key.a ^= key.a >> 32;
    key.b = (key.b + word) * 0xc4ceb9fe1a85ec53u;
    key.b ^= key.b >> 29;
  }
  return key;
}

HiddenView BeliefGraph::keep(HiddenView belief) {
  const size_t values = belief.size() * sizeof(double);
  const size_t bytes = (values + belief.index.size() * sizeof(int) + 63) / 64 * 64;
  if (bytes > chunk_left_) {
    chunk_left_ = std::max<size_t>(bytes, 1 << 20);
    chunks_.push_back(std::make_unique<std::byte[]>(chunk_left_));
    chunk_at_ = chunks_.back().get();
  }
  auto* value = reinterpret_cast<double*>(chunk_at_);
  auto* index = reinterpret_cast<int*>(chunk_at_ + values);
  std::memcpy(value, belief.value.data(), values);
  if (!belief.dense()) std::memcpy(index, belief.index.data(), belief.index.size() * sizeof(int));
  chunk_at_ += bytes;
  chunk_left_ -= bytes;
  return {{value, belief.size()}, {index, belief.index.size()}};
}

HiddenView BeliefGraph::belief(int n, BeliefReader& reader) const {
  const Node& node = nodes_[n];
  if (node.stored.size() > 0) return node.stored;
  if (reader.node != n) {
    const Node& parent = nodes_[node.parent];
    reader.filter.successor(parent.part, parent.stored, node.action, node.branch, node.outcome,
                            reader.belief);
    reader.node = n;
  }
  return reader.belief.view();
}

void BeliefGraph::open(int n) {
  if (nodes_[n].stored.size() == 0) nodes_[n].stored = keep(belief(n));
  nodes_[n].first_action = static_cast<int>(actions_.size());
  actions_.resize(actions_.size() + model_.num_actions());
}

void BeliefGraph::prepare(int n, int action, BeliefReader& reader, Expansion& out) const {
  const Node& node = nodes_[n];
  out.node = n;
  out.action = action;
  reader.filter.successors(node.part, node.stored, action, out.successors);
  out.reward = dot(model_.reward(node.part, action), node.stored);
  out.keys.clear();
  const auto branches = model_.branches(node.part, action);
  for (const MixedFilter::Successor& next : out.successors)
    out.keys.push_back(key_of(branches[next.branch].part, next.belief.view()));
}

void BeliefGraph::insert(Expansion& expansion) {
  expansion.fresh.clear();
  ActionEntry& entry = actions(expansion.node)[expansion.action];
  if (entry.num_children >= 0) return;
  const auto branches = model_.branches(nodes_[expansion.node].part, expansion.action);
  entry.reward = expansion.reward;
  entry.first_child = static_cast<int>(children_.size());
  entry.num_children = static_cast<int>(expansion.successors.size());
  for (size_t i = 0; i < expansion.successors.size(); ++i) {
    const MixedFilter::Successor& next = expansion.successors[i];
    const auto [at, is_new] = index_.try_emplace(expansion.keys[i], num_nodes());
    if (is_new) {
      Node node;
      node.part = branches[next.branch].part;
      node.parent = expansion.node;
      node.action = expansion.action;
      node.branch = next.branch;
      node.outcome = next.outcome;
      nodes_.push_back(node);
      expansion.fresh.push_back({at->second, i});
    }
    children_.push_back({at->second, next.branch, next.outcome, next.chance});
  }
}

}  // namespace penumbra::points
