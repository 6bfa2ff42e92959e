#include "penumbra/policy/fnc.h"

#include <fmt/format.h>

#include <map>

#include "penumbra/base/error.h"
#include "penumbra/nn/value_bank.h"

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
  out.action_width = fsc.action_width;
  out.action_values = fsc.action_values;
  for (int node : order) out.add_node(fsc.action[node]);
  for (size_t i = 0; i < order.size(); ++i)
    for (int o = 0; o < fsc.num_observations; ++o)
      out.set_edge(static_cast<int>(i), o, number[fsc.next(order[i], o)]);
  out.drop_unused_actions();
  if (kept) *kept = std::move(order);
  return out;
}

// Moore's partition refinement: nodes stay in one class while their actions and the classes of
// their successors agree.
Fsc minimised(const Fsc& input, std::vector<int>* number) {
  std::vector<int> old, first_visit;
  const Fsc fsc = reachable(input, &old);
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
  out.action_width = fsc.action_width;
  out.action_values = fsc.action_values;
  for (int b = 0; b < num_blocks; ++b) out.add_node(-1);
  for (int node = n - 1; node >= 0; --node) {
    out.action[block[node]] = fsc.action[node];
    for (int o = 0; o < observations; ++o) out.set_edge(block[node], o, block[fsc.next(node, o)]);
  }
  out.start = block[fsc.start];
  Fsc renumbered = reachable(out, &first_visit);
  if (number) {
    std::vector<int> of_block(num_blocks, -1);
    for (size_t i = 0; i < first_visit.size(); ++i) of_block[first_visit[i]] = static_cast<int>(i);
    number->assign(input.num_nodes(), -1);
    for (int node = 0; node < n; ++node) (*number)[old[node]] = of_block[block[node]];
  }
  return renumbered;
}

Fnc minimised(const Fnc& fnc) {
  std::vector<int> number;
  Fnc out{minimised(fnc.fsc, &number)};
  if (!fnc.networks) return out;
  out.alpha.assign(out.fsc.num_nodes(), -1);
  for (size_t node = 0; node < fnc.alpha.size(); ++node)
    if (const int to = number[node]; to >= 0 && out.alpha[to] < 0) out.alpha[to] = fnc.alpha[node];
  out.networks = fnc.networks;
  return without_spare_networks(out);
}

Fnc without_spare_networks(const Fnc& fnc) {
  if (!fnc.networks) return {fnc.fsc};
  check_networks(fnc);
  std::vector<int> number(fnc.networks->size(), -1), kept;
  for (int f : fnc.alpha)
    if (f >= 0) number[f] = 0;
  for (size_t f = 0; f < number.size(); ++f) {
    if (number[f] < 0) continue;
    number[f] = static_cast<int>(kept.size());
    kept.push_back(static_cast<int>(f));
  }
  if (kept.empty()) return {fnc.fsc};
  if (kept.size() == number.size()) return fnc;
  Fnc out{fnc.fsc, fnc.alpha, nn::load_bank(fnc.networks->save(), {})};
  out.networks->keep(kept);
  for (int& f : out.alpha)
    if (f >= 0) f = number[f];
  return out;
}

void check_networks(const Fnc& fnc) {
  const int count = fnc.networks ? fnc.networks->size() : 0;
  if (!fnc.alpha.empty() && static_cast<int>(fnc.alpha.size()) != fnc.fsc.num_nodes())
    throw Error(fmt::format("{} nodes have networks; the controller has {}", fnc.alpha.size(),
                            fnc.fsc.num_nodes()));
  for (size_t node = 0; node < fnc.alpha.size(); ++node)
    if (const int f = fnc.alpha[node]; f < -1 || f >= count)
      throw Error(fmt::format("node {} refers to network {}; there are {}", node, f, count));
}

}  // namespace penumbra
