// The likeliest part of a tree as rows for people.
#pragma once

#include <queue>
#include <vector>

#include "penumbra/model/pomdp.h"
#include "penumbra/search/search.h"
#include "penumbra/search/upper_confidence.h"

namespace penumbra::search {

// Of a tree whose beliefs and edges count visits (upper_confidence.h).
template <class Tree>
class TreeRows {
 public:
  TreeRows(const Pomdp& model, const Tree& tree, int levels)
      : model_(model), tree_(tree), levels_(levels) {}

  std::vector<TreeRow> likeliest(int most) {
    if (tree_.num_beliefs() == 0 || most <= 0) return {};
    open_.push({.belief = 0, .share = 1, .reach = 1});
    while (!open_.empty() && static_cast<int>(places_.size()) < most) {
      Place at = open_.top();
      open_.pop();
      at.number = static_cast<int>(places_.size());
      places_.push_back(at);
      below_.emplace_back();
      if (at.above >= 0) below_[at.above].push_back(at.number);
      if (at.level < levels_) at.is_edge() ? add_beliefs(at) : add_edges(at);
    }
    std::vector<TreeRow> rows;
    write(0, rows);
    return rows;
  }

 private:
  struct Place {
    int belief = -1, edge = -1;  // one of them
    int level = 0, above = -1, number = -1;
    double share = 0, reach = 0;  // among its siblings, and from the root
    bool chosen = false;
    bool is_edge() const { return edge >= 0; }
    bool operator<(const Place& other) const { return reach < other.reach; }
  };

  void add_edges(const Place& at) {
    const int best = best_edge(tree_, at.belief);
    const double all = std::max(1, tree_.belief(at.belief).visits);
    for (int e = tree_.belief(at.belief).first_edge; e >= 0; e = tree_.edge(e).sibling)
      push(at, {.edge = e, .share = tree_.edge(e).visits / all, .chosen = e == best});
  }
  void add_beliefs(const Place& at) {
    double all = 0;
    for (int b = tree_.edge(at.edge).first_child; b >= 0; b = tree_.belief(b).sibling)
      all += 1 + tree_.belief(b).visits;
    for (int b = tree_.edge(at.edge).first_child; b >= 0; b = tree_.belief(b).sibling)
      push(at, {.belief = b, .share = (1 + tree_.belief(b).visits) / all});
  }
  void push(const Place& above, Place at) {
    at.level = above.level + 1;
    at.above = above.number;
    at.reach = above.reach * at.share;
    open_.push(at);
  }
  void write(int number, std::vector<TreeRow>& rows) const {
    const Place& at = places_[number];
    TreeRow row{.level = at.level, .label = "", .share = at.share, .chosen = at.chosen};
    if (at.is_edge()) {
      row.label = model_.describe_action(tree_.action(at.edge));
      if (tree_.edge(at.edge).done > 0) row.value = tree_.edge(at.edge).value;
    } else {
      row.label = at.level == 0 ? "now" : model_.describe_seen(tree_.seen(at.belief));
      const int best = best_edge(tree_, at.belief);
      row.value = best < 0 ? tree_.belief(at.belief).value : tree_.edge(best).value;
    }
    rows.push_back(row);
    for (int below : below_[number]) write(below, rows);
  }

  const Pomdp& model_;
  const Tree& tree_;
  int levels_;
  std::priority_queue<Place> open_;
  std::vector<Place> places_;
  std::vector<std::vector<int>> below_;
};

}  // namespace penumbra::search
