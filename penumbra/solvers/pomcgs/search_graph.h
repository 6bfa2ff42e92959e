// The graph of beliefs that the search grows. A node is a belief; each of its actions that has been
// tried leads to one node per observation. Beliefs that are close are one node, so there are fewer
// than histories, and there are loops.
//
// Every node has two values, backed up over all observations: `lower`, of the policy that the graph
// describes, where nodes without actions repeat the best single one; and `upper`, where they get
// what QMDP promises. Both are as true as particles and merged beliefs are: close to bounds, but
// not proven ones.
#pragma once

#include <deque>
#include <map>
#include <unordered_map>
#include <vector>

#include "penumbra/model/action_stock.h"
#include "penumbra/solvers/pomcgs/conditional_plans.h"

namespace penumbra::pomcgs {

// A belief that is not yet a node.
struct NewBelief {
  int seen = 0;
  double probability = 0;
  Node node;
  int twin = -1;  // the node it merges with
  float distance = 0;
};

class SearchGraph {
 public:
  // `stock`: the model, where its actions are a box; nodes then widen by actions of their own.
  SearchGraph(const Pomdp& model, Supports& supports, const BlindPolicies& blind,
              const PomcgsOptions& options, RngKey key, ThreadPool& pool,
              ActionStock* stock = nullptr);

  int size() const { return static_cast<int>(nodes_.size()); }
  Node& operator[](int node) { return nodes_[node]; }
  const Node& operator[](int node) const { return nodes_[node]; }
  double discount() const { return discount_; }
  const Supports& supports() const { return supports_; }
  // Makes what the actions of an open node do to its states, where it was forgotten.
  void recall(const Node& node);

  // The first node: equal weights on these cells, as often as each stands there.
  void add_root(std::vector<int32_t> cells);
  // With these weights of the states of a support.
  void add_root(Row row, int support);

  struct Place {
    int node, choice;
    auto operator<=>(const Place&) const = default;
  };
  // Makes the children of all these choices. `full`: new beliefs get nodes that stay leaves.
  void expand(std::span<const Place> places, bool full);
  // Gives these nodes their actions (the first of them, where there are many).
  void open(std::vector<int> nodes);
  // Whether a node has been visited often enough for another action.
  bool wants_more(const Node& node) const;

  // Borrows new plans for these nodes and what is around them.
  void refresh(std::vector<int> nodes);
  // Values of a choice and of a node from those of the children.
  void backup(int node, int choice);
  void backup(int node);
  // All nodes until nothing changes.
  void sweep();

  // The controller that the graph describes. kPlans: what the plan of the first node does, with
  // values that hold. kGraph: the best choice of each node, and on to its children; where beliefs
  // were merged this may have loops, and promise more or less than it keeps.
  enum class Reading { kPlans, kGraph };
  Fsc controller(Reading reading) const;

  double bytes() const { return bytes_ + plans_.bytes(); }
  // States and observations handled by open() and expand() so far: the same in a resumed run.
  double work() const { return work_; }
  uint64_t merged() const { return merged_; }

  template <class Archive>
  void archive(Archive& a) {
    a(nodes_, plans_, merged_, work_);
    if constexpr (Archive::kLoading) restore();
  }

 private:
  std::vector<NewBelief> children(const Node& node, const Choice& choice) const;
  void value(Node& node) const;
  void shrink(Node& node, std::vector<int32_t>& kept) const;
  void find_twin(NewBelief& belief) const;
  float distance(const Node& a, const Node& b, float most) const;
  int32_t mode(const Node& node) const;
  void start(Choice& choice, const Node& node) const;
  Row carried(const Node& node, const Transit& t) const;
  static void thin(Row& row, float least);
  int add(Node node, bool full);
  void enter(int node);
  void restore();
  size_t num_choices(uint32_t visits) const;
  int fresh_action(const Node& node, int number);
  void improve(Node& node);
  void promise(std::vector<std::vector<NewBelief>>& found);
  float qmdp(const Node& node, int action) const;
  void look_ahead(Node& node) const;

  const Pomdp& model_;
  ActionStock* stock_;
  Supports& supports_;
  const BlindPolicies& blind_;
  const PomcgsOptions& options_;
  RngKey key_;
  double discount_;
  ThreadPool& pool_;
  std::deque<Node> nodes_;
  ConditionalPlans plans_;
  float worth_it_;  // a plan must be better by this to be added
  // Nodes by QMDP value, of the same support and of the same most probable state.
  using ByValue = std::multimap<float, int>;
  std::vector<ByValue> of_support_;
  std::unordered_map<int32_t, ByValue> of_mode_;
  double bytes_ = 0, work_ = 0;
  uint64_t merged_ = 0;
};

}  // namespace penumbra::pomcgs
