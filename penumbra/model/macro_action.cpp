#include "penumbra/model/macro_action.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "penumbra/base/error.h"

namespace penumbra {

MacroAction macro_sequence(std::string name, std::vector<int> actions) {
  MacroAction macro{std::move(name), std::move(actions), {}, 1};
  macro.edges.resize(macro.action.size());
  std::iota(macro.edges.begin(), macro.edges.end(), 1);
  if (!macro.edges.empty()) macro.edges.back() = MacroAction::kEnds;
  return macro;
}

std::vector<MacroAction> single_actions(const Facts& facts) {
  std::vector<MacroAction> macros;
  for (int a = 0; a < facts.num_actions; ++a)
    macros.push_back(macro_sequence(facts.action_name(a), {a}));
  return macros;
}

std::vector<MacroAction> repeated_actions(const Facts& facts, int times) {
  std::vector<MacroAction> macros;
  for (int a = 0; a < facts.num_actions; ++a)
    macros.push_back(macro_sequence(fmt::format("{} x{}", facts.action_name(a), times),
                                    std::vector<int>(times, a)));
  return macros;
}

void check_macro_action(const MacroAction& macro, const Facts& facts) {
  auto refuse = [&](const std::string& why) {
    throw Error(fmt::format("{}: the macro-action '{}' {}", facts.name, macro.name, why));
  };
  const int nodes = macro.num_nodes(), width = macro.num_observations;
  if (nodes == 0) refuse("has no node");
  if (width != 1 && width != facts.num_observations)
    refuse(fmt::format("has edges for {} observations; the model has {}", width,
                       facts.num_observations));
  if (macro.edges.size() != size_t(nodes) * width)
    refuse(fmt::format("has {} edges for {} nodes", macro.edges.size(), nodes));
  for (int a : macro.action)
    if (a < 0 || a >= facts.num_actions)
      refuse(fmt::format("plays action {}; the model has {}", a, facts.num_actions));
  for (int to : macro.edges)
    if (to < MacroAction::kEnds || to >= nodes) refuse(fmt::format("has an edge to node {}", to));
  // Backwards from the end.
  std::vector<char> can_end(nodes, 0);
  for (int round = 0; round < nodes; ++round)
    for (int n = 0; n < nodes; ++n)
      for (int e = 0; e < width; ++e) {
        const int to = macro.edges[n * width + e];
        if (to == MacroAction::kEnds || can_end[to]) can_end[n] = 1;
      }
  for (int n = 0; n < nodes; ++n)
    if (!can_end[n]) refuse(fmt::format("never ends from its node {}", n));
}

int longest_play(const MacroAction& macro) {
  // The longest path from each node, one step longer in each round; a loop never settles.
  const int nodes = macro.num_nodes(), width = macro.num_observations;
  std::vector<int> longest(nodes, 1);
  for (int round = 0; round <= nodes; ++round) {
    bool changed = false;
    for (int n = 0; n < nodes; ++n)
      for (int e = 0; e < width; ++e) {
        const int to = macro.edges[n * width + e];
        if (to == MacroAction::kEnds || longest[to] + 1 <= longest[n]) continue;
        longest[n] = longest[to] + 1;
        changed = true;
      }
    if (!changed) return longest[0];
    if (*std::max_element(longest.begin(), longest.end()) > nodes) break;
  }
  return 0;
}

}  // namespace penumbra
