// Which nodes of a controller can go, in which order: backward greedy elimination. Edges in use are
// clients, alone or several together, that must lead to a node that stays, at a cost that is known
// for some of them; they go with the nodes that they leave.
#pragma once

#include <cstdint>
#include <vector>

namespace penumbra {

struct EdgeOption {
  int node;
  double cost;  // of leading there
};
struct EdgeClient {
  std::vector<int> from;            // the nodes that its edges leave; none: it leads to the start
  std::vector<EdgeOption> options;  // cheapest first
};

// All nodes but the last few, whose clients have nowhere else to go; `cost[i]` is the sum that the
// edges left pay once the nodes up to and with i are gone.
struct Elimination {
  std::vector<int> order;
  std::vector<double> cost;
};
Elimination eliminate(int num_nodes, const std::vector<EdgeClient>& clients);

// Where a client leads when only these stay: -1 where no option does.
int cheapest(const EdgeClient& client, const std::vector<char>& stays);

}  // namespace penumbra
