// A macro-action: a small controller over a model's own actions that plays until it ends, so that
// planning can take longer strides. Its first node is 0; an edge to kEnds ends it, after the step
// whose observation led there.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "penumbra/model/facts.h"

namespace penumbra {

struct MacroAction {
  static constexpr int kEnds = -1;

  std::string name;
  std::vector<int> action;   // of the model, one per node
  std::vector<int> edges;    // row-major [node][observation], or one per node
  int num_observations = 1;  // 1: whatever is seen, otherwise the model's

  int num_nodes() const { return static_cast<int>(action.size()); }
  bool open_loop() const { return num_observations == 1; }
  int next(int node, int seen) const {
    return edges[node * num_observations + seen * !open_loop()];
  }
};

// These actions in a row, whatever is seen.
MacroAction macro_sequence(std::string name, std::vector<int> actions);
// Every action of the model by itself.
std::vector<MacroAction> single_actions(const Facts& facts);
// Every action `times` times in a row.
std::vector<MacroAction> repeated_actions(const Facts& facts, int times);

// Throws Error if it has actions or edges that are not there, or a node that it cannot end from.
void check_macro_action(const MacroAction& macro, const Facts& facts);
// The most steps that it takes; 0: any number.
int longest_play(const MacroAction& macro);

}  // namespace penumbra
