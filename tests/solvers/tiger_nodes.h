// Tiger with a controller whose nodes have exact values, and Bellman backups on its table.
#pragma once

#include <algorithm>

#include "domains/registry.h"
#include "domains/tiger.h"
#include "penumbra/policy/fsc.h"

namespace penumbra {

struct TigerNodes {
  enum Node { kListenForever, kEven, kLeft, kRight, kOpenRight, kOpenLeft };

  // Listen for ever; and the controller that opens once one side was heard twice more often.
  TigerNodes() {
    fsc.num_observations = 2;
    for (int action : {Tiger::kListen, Tiger::kListen, Tiger::kListen, Tiger::kListen})
      fsc.add_node(action);
    fsc.add_node(Tiger::kOpenRight, kEven);
    fsc.add_node(Tiger::kOpenLeft, kEven);
    const int edges[][3] = {
        {kEven, kLeft, kRight}, {kLeft, kOpenRight, kEven}, {kRight, kEven, kOpenLeft}};
    for (const auto& [node, after_left, after_right] : edges) {
      fsc.set_edge(node, 0, after_left);
      fsc.set_edge(node, 1, after_right);
    }
    fsc.start = kListenForever;
  }

  // Draws from the belief in which the tiger is on the right with this probability.
  RecordBuffer draw(double right, size_t count, uint64_t seed) const {
    RecordBuffer states(model->state_size(), count);
    for (size_t i = 0; i < count; ++i)
      states.as<int32_t>(i) = Rng(RngKey::from_seed(seed).fold("belief"), i).bernoulli(right);
    return states;
  }

  // Of a node at a belief, exact.
  double value(int node, double right) const {
    const std::vector<double> v = fsc_values(fsc, table);
    return (1 - right) * v[node * 2] + right * v[node * 2 + 1];
  }
  int best_node(double right) const {
    int best = 0;
    for (int n = 1; n < fsc.num_nodes(); ++n)
      if (value(n, right) > value(best, right)) best = n;
    return best;
  }

  struct Backup {
    int action = -1;
    std::vector<int> successor{};
    double value = -1e300;
  };
  // max over actions of r + discount * sum over o of max over nodes, on the table.
  Backup backup(double right) const {
    const std::vector<double> values = fsc_values(fsc, table);
    const double b[] = {1 - right, right};
    const size_t nodes = fsc.num_nodes();
    Backup best;
    for (int a = 0; a < table.num_actions; ++a) {
      Backup q{a, {}, b[0] * table.reward[a][0] + b[1] * table.reward[a][1]};
      std::vector<double> sums(2 * nodes);  // [observation][node]
      for (int s = 0; s < 2; ++s)
        for (const auto& next : table.transition[a].row(s))
          for (const auto& seen : table.observation[a].row(next.column))
            for (size_t n = 0; n < nodes; ++n)
              sums[seen.column * nodes + n] +=
                  b[s] * next.value * seen.value * values[n * 2 + next.column];
      for (size_t o = 0; o < 2; ++o) {
        const auto first = sums.begin() + static_cast<long>(o * nodes);
        const auto at = std::max_element(first, first + static_cast<long>(nodes));
        q.successor.push_back(static_cast<int>(at - first));
        q.value += table.discount * *at;
      }
      if (q.value > best.value) best = q;
    }
    return best;
  }

  std::unique_ptr<Pomdp> model = load_domain("tiger");
  Tabular table = model->table();
  Fsc fsc;
};

}  // namespace penumbra
