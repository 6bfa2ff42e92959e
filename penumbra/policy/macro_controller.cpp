#include "penumbra/policy/macro_controller.h"

namespace penumbra {

Fsc expand_macros(const Fsc& fsc, std::span<const MacroAction> macros) {
  std::vector<int> first;  // expanded node of each node's macro-action
  Fsc out;
  out.num_observations = fsc.num_observations;
  for (int a : fsc.action) {
    first.push_back(out.num_nodes());
    for (int primitive : macros[a].action) out.add_node(primitive);
  }
  for (int n = 0; n < fsc.num_nodes(); ++n) {
    const MacroAction& macro = macros[fsc.action[n]];
    for (int m = 0; m < macro.num_nodes(); ++m)
      for (int o = 0; o < fsc.num_observations; ++o) {
        const int inside = macro.next(m, o);
        out.set_edge(first[n] + m, o,
                     inside == MacroAction::kEnds ? first[fsc.next(n, o)] : first[n] + inside);
      }
  }
  out.start = first[fsc.start];
  return out;
}

}  // namespace penumbra
