// The tree that every planner grows: beliefs, below each its actions (edges), below each action the
// beliefs after what may be seen. It holds who is below whom; what a planner knows about a belief
// or an action is its own payload. Memory is kept from plan to plan.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "penumbra/model/records.h"

namespace penumbra::search {

template <class BeliefData, class EdgeData>
class Tree {
 public:
  struct Belief : BeliefData {
    int edge = -1;     // that leads here; -1: the root
    int sibling = -1;  // the next belief after the same action
    int first_edge = -1, last_edge = -1, num_edges = 0;
    int depth = 0;
  };
  struct Edge : EdgeData {
    int belief = -1;   // that it leaves
    int sibling = -1;  // the next action of the same belief
    int first_child = -1, last_child = -1, num_children = 0;
  };

  Tree(size_t action_size, size_t seen_size) : actions_(action_size), seen_(seen_size) {}

  // Begins anew with a root, number 0.
  void clear() {
    beliefs_.clear();
    edges_.clear();
    actions_.clear();
    seen_.clear();
    std::fill(slots_.begin(), slots_.end(), 0);
    indexed_ = 0;
    beliefs_.emplace_back();
    seen_.resize(1);
  }

  int num_beliefs() const { return static_cast<int>(beliefs_.size()); }
  int num_edges() const { return static_cast<int>(edges_.size()); }
  Belief& belief(int b) { return beliefs_[b]; }
  const Belief& belief(int b) const { return beliefs_[b]; }
  Edge& edge(int e) { return edges_[e]; }
  const Edge& edge(int e) const { return edges_[e]; }
  const std::byte* action(int e) const { return actions_.at(e); }
  const std::byte* seen(int b) const { return seen_.at(b); }

  // Edges that are added one after the other have consecutive numbers.
  int add_edge(int b, const std::byte* action) {
    const int e = num_edges();
    edges_.emplace_back().belief = b;
    actions_.push_back(action);
    Belief& from = beliefs_[b];
    (from.last_edge < 0 ? from.first_edge : edges_[from.last_edge].sibling) = e;
    from.last_edge = e;
    ++from.num_edges;
    return e;
  }

  int add_belief(int e, const std::byte* seen) {
    const int b = num_beliefs();
    Belief& added = beliefs_.emplace_back();
    added.edge = e;
    added.depth = beliefs_[edges_[e].belief].depth + 1;
    seen_.push_back(seen);
    Edge& from = edges_[e];
    (from.last_child < 0 ? from.first_child : beliefs_[from.last_child].sibling) = b;
    from.last_child = b;
    ++from.num_children;
    if (from.num_children > kFewChildren) index(e);
    return b;
  }

  // The belief after this observation, byte by byte; -1: there is none yet.
  int find(int e, const std::byte* seen) const {
    const Edge& from = edges_[e];
    if (from.num_children > kFewChildren) {
      const size_t mask = slots_.size() - 1;
      for (size_t at = hash(e, seen) & mask; slots_[at]; at = (at + 1) & mask)
        if (same(slots_[at] - 1, e, seen)) return slots_[at] - 1;
      return -1;
    }
    for (int b = from.first_child; b >= 0; b = beliefs_[b].sibling)
      if (same(b, e, seen)) return b;
    return -1;
  }

 private:
  static constexpr int kFewChildren = 8;

  bool same(int b, int e, const std::byte* seen) const {
    return beliefs_[b].edge == e && std::memcmp(seen_.at(b), seen, seen_.record_size()) == 0;
  }
  uint64_t hash(int e, const std::byte* seen) const {
    return hash_record(seen, seen_.record_size()) ^ (uint64_t(e) + 1) * 0x9e3779b97f4a7c15u;
  }
  void insert(int b) {
    const size_t mask = slots_.size() - 1;
    size_t at = hash(beliefs_[b].edge, seen_.at(b)) & mask;
    while (slots_[at]) at = (at + 1) & mask;
    slots_[at] = b + 1;
    ++indexed_;
  }
  // An edge with many children keeps them in a table.
  void index(int e) {
    if (2 * (indexed_ + kFewChildren + 1) >= slots_.size()) {
      slots_.assign(std::max<size_t>(1024, 4 * slots_.size()), 0);
      indexed_ = 0;
      for (int b = 1; b < num_beliefs(); ++b)
        if (edges_[beliefs_[b].edge].num_children > kFewChildren) insert(b);
      return;
    }
    if (edges_[e].num_children > kFewChildren + 1) return insert(edges_[e].last_child);
    for (int b = edges_[e].first_child; b >= 0; b = beliefs_[b].sibling) insert(b);
  }

  std::vector<Belief> beliefs_;
  std::vector<Edge> edges_;
  RecordBuffer actions_, seen_;  // per edge, per belief
  std::vector<int> slots_;       // open addressing: belief + 1, or 0
  size_t indexed_ = 0;
};

}  // namespace penumbra::search
