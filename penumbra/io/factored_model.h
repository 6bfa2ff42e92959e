// What a model file says, before it is written out as a table: variables, and one diagram per
// conditional distribution or reward. A flat file has one variable of each kind.
//
// Every diagram has the same levels: actions, then states before the step, states after it,
// observations; so a level is a variable at a time ("slot").
#pragma once

#include <string>
#include <vector>

#include "penumbra/io/diagram.h"
#include "penumbra/io/source_text.h"

namespace penumbra {

struct FactoredModel {
  struct Variable {
    std::string name;
    int size = 0;
    std::vector<std::string> values{};  // one name each, or none
    bool visible = false;
    std::string value(int i, char prefix) const {
      return values.empty() ? std::string(1, prefix).append(std::to_string(i)) : values[i];
    }
  };
  std::string name;
  double discount = 0.95;
  std::vector<Variable> states;  // visible ones first
  std::vector<Variable> actions, observations;
  // One diagram per variable, its rows being distributions of that variable. `start` tests and
  // describes states before a step, `transition` describes states after it.
  std::vector<Diagram> start, transition, observation;
  std::vector<Diagram> rewards;  // their sum is the reward

  int num_slots() const {
    return static_cast<int>(actions.size() + 2 * states.size() + observations.size());
  }
  int before(size_t state) const { return static_cast<int>(actions.size() + state); }
  int after(size_t state) const { return before(state) + static_cast<int>(states.size()); }
  int seen(size_t i) const { return static_cast<int>(actions.size() + 2 * states.size() + i); }
  std::vector<int> slot_sizes() const;
};

// The least memory that a table of these sizes takes, in bytes.
double table_bytes(double num_states, double num_actions, double num_observations,
                   double entries_per_row = 1);

// Throws Error when the table has more states than can be numbered or needs more memory than
// allowed: asked before anything of that size is made.
void check_size(const FactoredModel& model, const ReadOptions& options);

// Every probability written out. Throws as check_size does, also when rows turn out to be long.
Tabular expand(const FactoredModel& model, const ReadOptions& options);

// Marks states that no action leaves or pays for.
void mark_terminal(Tabular& table);

}  // namespace penumbra
