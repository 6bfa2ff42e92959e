#include "penumbra/policy/fnc.h"

#include <map>

namespace penumbra {

Fsc reachable(const Fsc& fsc, std::vector<int>* kept) {
  std::vector<int> number(fsc.num_nodes(), -1), order;
  auto visit = [&](int node) {
    if (number[node] >= 0) return;
    number[node] = static_cast<int>(order.size());
    order.push_back(node);
  };
  visit(fsc.start);
  for (size_t i = 0; i < order.size(); ++i)
    for (int o = 0; o < fsc.num_observations; ++o) visit(fsc.next(order[i], o));
  Fsc out;
  out.num_observations = fsc.num_observations;
  for (int node : order) out.add_node(fsc.action[node]);
  for (size_t i = 0; i < order.size(); ++i)
    for (int o = 0; o < fsc.num_observations; ++o)
      out.set_edge(static_cast<int>(i), o, number[fsc.next(order[i], o)]);
  if (kept) *kept = std::move(order);
  return out;
}

// Moore's partition refinement: nodes stay in one class while their actions and the classes of
// their successors agree.
Fsc minimised(const Fsc& input) {
  const Fsc fsc = reachable(input);
  const int n = fsc.num_nodes(), observations = fsc.num_observations;
  std::vector<int> block(fsc.action);
  int num_blocks = -1;
  while (true) {
    std::map<std::vector<int>, int> signature;
    std::vector<int> refined(n);
    for (int node = 0; node < n; ++node) {
      std::vector<int> key{block[node]};
      for (int o = 0; o < observations; ++o) key.push_back(block[fsc.next(node, o)]);
      refined[node] =
          signature.try_emplace(std::move(key), static_cast<int>(signature.size())).first->second;
    }
    block = std::move(refined);
    const int count = static_cast<int>(signature.size());
    if (count == num_blocks) break;
    num_blocks = count;
  }
  Fsc out;
  out.num_observations = observations;
  for (int b = 0; b < num_blocks; ++b) out.add_node(-1);
  for (int node = n - 1; node >= 0; --node) {
    out.action[block[node]] = fsc.action[node];
    for (int o = 0; o < observations; ++o) out.set_edge(block[node], o, block[fsc.next(node, o)]);
  }
  out.start = block[fsc.start];
  return reachable(out);
}

}  // namespace penumbra
