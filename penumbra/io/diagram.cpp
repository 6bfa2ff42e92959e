#include "penumbra/io/diagram.h"

#include <algorithm>
#include <bit>

#include "penumbra/base/error.h"
#include "penumbra/base/rng.h"

namespace penumbra {
namespace {

uint64_t stir(uint64_t hash, uint64_t word) {
  return RngKey::mix(hash ^ (word + 0x9e3779b97f4a7c15u + (hash << 6)));
}

}  // namespace

Diagram::Ref Diagram::search(const Node& node, int value) const {
  const Edge* begin = edges_.data() + node.first;
  const Edge* end = begin + node.count;
  const Edge* at =
      std::lower_bound(begin, end, value, [](const Edge& e, int v) { return e.value < v; });
  return at != end && at->value == value ? at->child : node.otherwise;
}

Diagram::Ref Diagram::add_row(std::span<const SparseRows::Entry> row) {
  uint64_t hash = 1;
  for (const auto& e : row)
    hash = stir(stir(hash, static_cast<uint64_t>(e.column)), std::bit_cast<uint64_t>(e.value));
  const auto [first, last] = known_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    if (!is_leaf(at->second)) continue;
    const auto other = rows.row(leaf(at->second));
    if (std::equal(row.begin(), row.end(), other.begin(), other.end())) return at->second;
  }
  for (const auto& e : row) rows.add(e.column, e.value);
  rows.end_row();
  const Ref ref = ~(rows.num_rows() - 1);
  known_.emplace(hash, ref);
  return ref;
}

Diagram::Ref Diagram::add_value(double value) {
  const uint64_t hash = stir(2, std::bit_cast<uint64_t>(value));
  const auto [first, last] = known_.equal_range(hash);
  for (auto at = first; at != last; ++at)
    if (is_leaf(at->second) &&
        std::bit_cast<uint64_t>(values[leaf(at->second)]) == std::bit_cast<uint64_t>(value))
      return at->second;
  values.push_back(value);
  const Ref ref = ~static_cast<int>(values.size() - 1);
  known_.emplace(hash, ref);
  return ref;
}

Diagram::Ref Diagram::add_node(int level, Ref otherwise, std::vector<Edge> edges) {
  const bool full = static_cast<int>(edges.size()) == sizes_[level];
  if (full) {
    if (std::all_of(edges.begin(), edges.end(),
                    [&](const Edge& e) { return e.child == edges[0].child; }))
      return edges[0].child;
    otherwise = edges[0].child;
  } else {
    std::erase_if(edges, [&](const Edge& e) { return e.child == otherwise; });
    if (edges.empty()) return otherwise;
  }
  uint64_t hash = stir(stir(3, static_cast<uint64_t>(level)), static_cast<uint32_t>(otherwise));
  for (const Edge& e : edges)
    hash = stir(stir(hash, static_cast<uint64_t>(e.value)), static_cast<uint32_t>(e.child));
  const auto [first, last] = known_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    if (is_leaf(at->second)) continue;
    const Node& n = nodes_[at->second];
    const auto other = this->edges(at->second);
    if (n.level == level && n.otherwise == otherwise &&
        std::equal(edges.begin(), edges.end(), other.begin(), other.end()))
      return at->second;
  }
  PENUMBRA_CHECK(nodes_.size() < INT32_MAX, "too many nodes");
  nodes_.push_back({level, static_cast<int>(edges.size()), otherwise, edges_.size()});
  edges_.insert(edges_.end(), edges.begin(), edges.end());
  const Ref ref = static_cast<Ref>(nodes_.size() - 1);
  known_.emplace(hash, ref);
  return ref;
}

std::vector<bool> Diagram::tested() const {
  std::vector<bool> levels(sizes_.size(), false), seen(nodes_.size(), false);
  std::vector<Ref> open = {root};
  while (!open.empty()) {
    const Ref at = open.back();
    open.pop_back();
    if (is_leaf(at) || seen[at]) continue;
    seen[at] = true;
    levels[nodes_[at].level] = true;
    open.push_back(nodes_[at].otherwise);
    for (const Edge& e : edges(at)) open.push_back(e.child);
  }
  return levels;
}

}  // namespace penumbra
