// A function of discrete variables as a reduced, shared decision diagram. A variable is a level;
// a node tests one, and levels grow on the way down. What a wildcard covers is one node, however
// many assignments that is: tables are never written out densely. Leaves are rows (distributions
// of the variable that a factor describes) or values (rewards).
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "penumbra/model/tabular.h"

namespace penumbra {

class Diagram {
 public:
  using Ref = int32_t;  // a node, or below 0 the leaf ~ref
  struct Edge {
    int value;
    Ref child;
    bool operator==(const Edge&) const = default;
  };

  Diagram() = default;
  // The number of values of every level.
  explicit Diagram(std::vector<int> sizes) : sizes_(std::move(sizes)) {}

  Ref root = -1;
  SparseRows rows;             // leaves that are distributions: sorted columns, no zeros
  std::vector<double> values;  // leaves that are numbers

  static bool is_leaf(Ref at) { return at < 0; }
  static int leaf(Ref at) { return ~at; }
  int level(Ref at) const {
    return is_leaf(at) ? static_cast<int>(sizes_.size()) : nodes_[at].level;
  }
  // One step down: nothing happens where the level is not tested.
  Ref child(Ref at, int level, int value) const {
    if (is_leaf(at) || nodes_[at].level != level) return at;
    const Node& n = nodes_[at];
    if (n.count == sizes_[level]) return edges_[n.first + value].child;
    return search(n, value);
  }
  std::span<const Edge> edges(Ref at) const {
    return {edges_.data() + nodes_[at].first, static_cast<size_t>(nodes_[at].count)};
  }
  Ref otherwise(Ref at) const { return nodes_[at].otherwise; }
  int num_nodes() const { return static_cast<int>(nodes_.size()); }
  int size(int level) const { return sizes_[level]; }

  // Equal leaves and nodes are kept once. Edges sorted by value; `otherwise` is for the values
  // that have none. A node that decides nothing is its child.
  Ref add_row(std::span<const SparseRows::Entry> row);
  Ref add_value(double value);
  Ref add_node(int level, Ref otherwise, std::vector<Edge> edges);

  // Which levels are tested by anything below the root.
  std::vector<bool> tested() const;

 private:
  struct Node {
    int level, count;
    Ref otherwise;
    size_t first;
  };
  Ref search(const Node& node, int value) const;

  std::vector<int> sizes_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::unordered_multimap<uint64_t, Ref> known_;  // hash of a leaf or node
};

}  // namespace penumbra
