// Search over exact beliefs from b0 of an explicit model: the fast informed bound above its leaves
// and blind policies below them. A belief that comes up again is the same node. Both values of the
// root are proven, and they close in the more is expanded.
#pragma once

#include <unordered_map>

#include "penumbra/base/stop.h"
#include "penumbra/belief/mixed_filter.h"
#include "penumbra/bounds/explicit_bounds.h"

namespace penumbra::search {

class ExactSearch {
 public:
  // `stop` ends the bounds early: they are looser then, and proven all the same.
  explicit ExactSearch(const Tabular& table, const Stop& stop = {});

  // One way down to where the gap at the root comes from, expanded and backed up. False: there is
  // no gap, or no room for more.
  bool descend();
  double lower() const;
  double upper() const;
  int num_beliefs() const { return static_cast<int>(beliefs_.size()); }
  // Multiplications so far, about; it begins with those of the bounds at its leaves.
  double work() const { return work_; }
  static double work_of_bounds(int states, int actions);

 private:
  struct Belief {
    int part = 0;
    HiddenBelief hidden{};
    double lower = 0, upper = 0;
    int first_edge = -1;  // one edge per action from here on
  };
  struct Edge {
    double reward = 0;
    double lower = 0, upper = 0;
    size_t first_child = 0, end_child = 0;
  };
  struct Child {
    int belief;
    double chance;
  };

  int find_or_add(int part, HiddenBelief hidden);
  void expand(int b);
  void value_leaf(Belief& belief);
  void update(int b);
  // Where the gap below the best action is widest; -1: nowhere.
  int next_belief(int b, double& chance) const;

  MixedModel model_;
  PartActionValues informed_, blind_;
  std::vector<Belief> beliefs_;
  std::vector<Edge> edges_;
  std::vector<Child> children_;
  std::unordered_multimap<uint64_t, int> known_;  // by a hash of the belief
  MixedFilter filter_;
  std::vector<MixedFilter::Successor> successors_;
  std::vector<int> way_;
  size_t entries_ = 0;  // of all beliefs
  double work_ = 0, margin_ = 0;
};

}  // namespace penumbra::search
