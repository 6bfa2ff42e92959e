// A POMDP with every probability written down, sparsely. The oracle for everything sampled.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace penumbra {

// Rows of (column, value) pairs in one array: compressed sparse rows.
struct SparseRows {
  struct Entry {
    int column;
    double value;
    bool operator==(const Entry&) const = default;
  };
  std::vector<size_t> start{0};  // row r is entries[start[r] .. start[r+1])
  std::vector<Entry> entries;

  int num_rows() const { return static_cast<int>(start.size()) - 1; }
  std::span<const Entry> row(int r) const {
    return {entries.data() + start[r], start[r + 1] - start[r]};
  }
  // Appends to the row that is being built; end_row() closes it.
  void add(int column, double value) { entries.push_back({column, value}); }
  void end_row() { start.push_back(entries.size()); }
  bool operator==(const SparseRows&) const = default;
};

// One variable of a state that has several.
struct StateVariable {
  std::string name;
  std::vector<std::string> values;
  bool visible = false;  // the agent sees its value
  int size() const { return static_cast<int>(values.size()); }
  bool operator==(const StateVariable&) const = default;
};

struct Tabular {
  std::string name;
  double discount = 0.95;
  int num_states = 0, num_actions = 0, num_observations = 0;
  std::vector<SparseRows> transition;       // [action]: row s, column s', T(s' | s, a)
  std::vector<SparseRows> observation;      // [action]: row s', column o, O(o | s', a)
  std::vector<std::vector<double>> reward;  // [action][s]: expected immediate reward
  std::vector<double> start;                // b0
  std::vector<char> terminal;               // absorbing, no reward: an episode ends there
  std::vector<std::string> state_names{}, action_names{}, observation_names{};
  // Mixed observability: the part of each state that the agent sees besides the observation, in
  // [0, num_visible). Empty: nothing but the observation is seen.
  std::vector<int> visible{};
  int num_visible = 1;
  // A factored state: the index of a state is the number whose digits are the values, the first
  // variable being the slowest; visible variables stand first. Empty: one variable, the state.
  std::vector<StateVariable> variables{};
};

// The name of a state: its own, its variables', or s0, s1, ...
std::string state_name(const Tabular& model, int state);
// With `visible` an agent sees both: this many pairs, numbered visible * num_observations + o.
int num_seen(const Tabular& model);
std::string seen_name(const Tabular& model, int seen);

// Throws Error naming the first row that is not a distribution (within `tolerance`).
void check_tabular(const Tabular& model, double tolerance = 1e-9);

}  // namespace penumbra
