#include "penumbra/evaluate/elimination.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace penumbra {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// The next option after `at` whose node stays.
size_t next_option(const EdgeClient& client, size_t at, const std::vector<char>& stays) {
  for (++at; at < client.options.size(); ++at)
    if (stays[size_t(client.options[at].node)]) break;
  return at;
}

bool any_stays(const std::vector<int>& nodes, const std::vector<char>& stays) {
  return std::any_of(nodes.begin(), nodes.end(), [&](int n) { return stays[size_t(n)] != 0; });
}

}  // namespace

int cheapest(const EdgeClient& client, const std::vector<char>& stays) {
  const size_t at = next_option(client, size_t(-1), stays);
  return at < client.options.size() ? client.options[at].node : -1;
}

Elimination eliminate(int num_nodes, const std::vector<EdgeClient>& clients) {
  std::vector<char> stays(size_t(num_nodes), 1);
  std::vector<size_t> first(clients.size()), second(clients.size());
  for (size_t c = 0; c < clients.size(); ++c) {
    first[c] = next_option(clients[c], size_t(-1), stays);
    second[c] = next_option(clients[c], first[c], stays);
  }
  Elimination out;
  std::vector<double> price(static_cast<size_t>(num_nodes));
  while (true) {
    // What each removal would add, and what is paid now.
    std::fill(price.begin(), price.end(), 0.0);
    double paid = 0;
    for (size_t c = 0; c < clients.size(); ++c) {
      const EdgeClient& client = clients[c];
      if (first[c] >= client.options.size()) continue;
      if (!client.from.empty() && !any_stays(client.from, stays)) continue;
      const EdgeOption& now = client.options[first[c]];
      paid += now.cost;
      if (client.from == std::vector<int>{now.node}) continue;  // goes with it
      price[size_t(now.node)] +=
          second[c] < client.options.size() ? client.options[second[c]].cost - now.cost : kNever;
    }
    if (!out.order.empty()) out.cost.push_back(paid);
    int best = -1;
    for (int n = 0; n < num_nodes; ++n)
      if (stays[size_t(n)] && price[size_t(n)] < kNever &&
          (best < 0 || price[size_t(n)] < price[size_t(best)]))
        best = n;
    if (best < 0) return out;
    stays[size_t(best)] = 0;
    out.order.push_back(best);
    for (size_t c = 0; c < clients.size(); ++c) {
      const auto& options = clients[c].options;
      if (first[c] < options.size() && options[first[c]].node == best) {
        first[c] = second[c];
        second[c] = next_option(clients[c], first[c], stays);
      } else if (second[c] < options.size() && options[second[c]].node == best) {
        second[c] = next_option(clients[c], second[c], stays);
      }
    }
  }
}

}  // namespace penumbra
