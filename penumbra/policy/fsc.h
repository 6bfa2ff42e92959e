// The finite-state controller: psi(n) is the node's action, eta(n, o) the next node.
#pragma once

#include <span>
#include <vector>

#include "penumbra/model/tabular.h"
#include "penumbra/policy/policy.h"

namespace penumbra {

struct Fsc {
  int num_observations = 0;
  int start = 0;            // n0
  std::vector<int> action;  // psi, one per node
  std::vector<int> edges;   // eta, row-major [node][observation]
  // Of a box of actions: the real ones, row-major; psi is then the number of a row. A width of 0:
  // actions are finite.
  int action_width = 0;
  std::vector<float> action_values{};

  int num_nodes() const { return static_cast<int>(action.size()); }
  int next(int node, int seen) const { return edges[size_t(node) * num_observations + seen]; }
  // Appends a node whose every edge leads to `target` (itself if negative); returns its number.
  int add_node(int node_action, int target = -1);
  void set_edge(int node, int seen, int target) {
    edges[size_t(node) * num_observations + seen] = target;
  }
  // The first node with this action and these edges; -1: there is none.
  int find(int node_action, std::span<const int> successors) const;
  int num_real_actions() const {
    return action_width > 0 ? static_cast<int>(action_values.size()) / action_width : 0;
  }
  std::span<const float> real_action(int row) const {
    return {action_values.data() + size_t(row) * action_width, size_t(action_width)};
  }
  // Real actions that no node takes go, equal ones become one.
  void drop_unused_actions();
  bool operator==(const Fsc&) const = default;
};

// Throws Error if an action, an edge or the start is out of range for the model.
void check_fsc(const Fsc& fsc, const Facts& facts);

// The value of every (node, state), row-major, exact to `tolerance`: policy evaluation on a table.
std::vector<double> fsc_values(const Fsc& fsc, const Tabular& model, double tolerance = 1e-12);
// The value of starting at fsc.start from b0.
double fsc_value(const Fsc& fsc, const Tabular& model, double tolerance = 1e-12);

class FscPolicy final : public Policy {
 public:
  FscPolicy(Fsc fsc, const Facts& facts);
  std::string describe() const override;
  size_t memory_size() const override { return sizeof(int32_t); }
  void start(Streams streams, Records memory) const override;
  void act(Records memory, Streams streams, Records action) const override;
  void observe(Records memory, ConstRecords action, ConstRecords seen,
               Streams streams) const override;
  const Fsc& fsc() const { return fsc_; }

 private:
  Fsc fsc_;
};

}  // namespace penumbra
