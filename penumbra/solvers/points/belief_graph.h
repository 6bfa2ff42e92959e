// The beliefs that were met, each once: beliefs reached by different histories are the same node.
// Only nodes that were opened keep their distribution; others are computed again from the node
// that led to them when they are asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "penumbra/base/archive.h"
#include "penumbra/belief/mixed_filter.h"
#include "penumbra/model/mixed_model.h"

namespace penumbra::points {

struct Node {
  int part = 0;
  int parent = -1;  // with action, branch, outcome: how to compute the belief again
  int action = 0, branch = 0;
  int outcome = 0;
  HiddenView stored{};  // empty unless the node is open

  double lower = 0;
  int best = -1;              // the vector of that value
  uint32_t vectors_seen = 0;  // compared with the part's vectors up to this one
  uint32_t points_seen = 0;
  double upper = 0;
  double corner = 0;      // the corners' plane here
  int point = -1;         // of the sawtooth
  double shared = 0;      // the upper bound that the points know of; `upper` may be lower
  int first_action = -1;  // of the action entries; -1: not open

  template <class Archive>
  void archive(Archive& a) {  // but `stored`
    a(part, parent, action, branch, outcome, lower, best, vectors_seen, points_seen, upper, corner,
      point, shared, first_action);
  }
};

struct ActionEntry {
  double reward = 0;  // expected, now
  double upper = 0;   // on the value of taking this action
  double lower = 0;
  int first_child = -1, num_children = -1;  // -1: not computed yet

  template <class Archive>
  void archive(Archive& a) {
    a(reward, upper, lower, first_child, num_children);
  }
};

struct Child {
  int node = 0;
  int branch = 0;
  int outcome = 0;
  double chance = 0;

  template <class Archive>
  void archive(Archive& a) {
    a(node, branch, outcome, chance);
  }
};

// Beliefs that are computed again, one at a time: one reader per thread.
struct BeliefReader {
  explicit BeliefReader(const MixedModel& model) : filter(model) {}
  MixedFilter filter;
  HiddenBelief belief;
  int node = -1;  // whose belief it is
};

// How beliefs are told apart.
struct BeliefKey {
  uint64_t a, b;
  bool operator==(const BeliefKey&) const = default;
};

// What follows an action at an open node.
struct Expansion {
  struct Fresh {
    int node;
    size_t successor;
  };
  int node = -1, action = -1;
  double reward = 0;
  std::vector<MixedFilter::Successor> successors;
  std::vector<BeliefKey> keys;  // of the successors
  std::vector<Fresh> fresh;     // those that are new to the graph
};

class BeliefGraph {
 public:
  explicit BeliefGraph(const MixedModel& model);

  int num_nodes() const { return static_cast<int>(nodes_.size()); }
  Node& node(int n) { return nodes_[n]; }
  bool is_open(int n) const { return nodes_[n].first_action >= 0; }
  // Valid until the next call for another node that is not open.
  HiddenView belief(int n) { return belief(n, reader_); }
  HiddenView belief(int n, BeliefReader& reader) const;
  // Makes the action entries, all alike.
  void open(int n);
  std::span<ActionEntry> actions(int n) {
    return {actions_.data() + nodes_[n].first_action, size_t(model_.num_actions())};
  }
  // What follows an action, in two steps: prepare computes it, on any thread; insert makes it part
  // of the graph, whose memory may move. `fresh` of an expansion: which successors are new nodes.
  void prepare(int n, int action, BeliefReader& reader, Expansion& out) const;
  void insert(Expansion& expansion);
  std::span<const Child> children(const ActionEntry& entry) const {
    return {children_.data() + entry.first_child, size_t(entry.num_children)};
  }

  template <class Archive>
  void archive(Archive& a) {
    a(nodes_, actions_, children_);
    for (Node& n : nodes_) {
      HiddenBelief kept;
      if constexpr (!Archive::kLoading)
        kept = {{n.stored.value.begin(), n.stored.value.end()},
                {n.stored.index.begin(), n.stored.index.end()}};
      a(kept.value, kept.index);
      if constexpr (Archive::kLoading)
        if (!kept.value.empty()) n.stored = keep(kept.view());
    }
    // Keys come from beliefs as they were first met: computed again they may round otherwise.
    std::vector<uint64_t> keys(2 * nodes_.size());
    if constexpr (!Archive::kLoading)
      for (const auto& [key, n] : index_) keys[2 * n] = key.a, keys[2 * n + 1] = key.b;
    a(keys);
    if constexpr (Archive::kLoading) {
      index_.clear();
      for (int n = 0; n < num_nodes(); ++n)
        index_.emplace(BeliefKey{keys[2 * n], keys[2 * n + 1]}, n);
      reader_.node = -1;
    }
  }

 private:
  struct KeyHash {
    size_t operator()(const BeliefKey& key) const { return key.a; }
  };
  static BeliefKey key_of(int part, HiddenView belief);
  HiddenView keep(HiddenView belief);

  const MixedModel& model_;
  std::vector<Node> nodes_;
  std::vector<ActionEntry> actions_;
  std::vector<Child> children_;
  std::unordered_map<BeliefKey, int, KeyHash> index_;
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  size_t chunk_left_ = 0;
  std::byte* chunk_at_ = nullptr;
  BeliefReader reader_;
};

}  // namespace penumbra::points
