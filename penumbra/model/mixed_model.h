// A table as solvers of explicit models work on it: states grouped by what is known of them
// (model/known_parts.h). A belief is a known part and a distribution over that part's states, and
// a vector that values beliefs is as long as its part. Finished states are left out: they are
// worth nothing.
#pragma once

#include <span>
#include <vector>

#include "penumbra/model/known_parts.h"
#include "penumbra/model/tabular.h"

namespace penumbra {

// Weights of the hidden states of a part: value[i] belongs to index[i], or to i where `index` is
// empty. A belief when they sum to one.
struct HiddenView {
  std::span<const double> value;
  std::span<const int> index;
  bool dense() const { return index.empty(); }
  size_t size() const { return value.size(); }
  int at(size_t i) const { return index.empty() ? static_cast<int>(i) : index[i]; }
};

struct HiddenBelief {
  std::vector<double> value;
  std::vector<int> index;
  HiddenView view() const { return {value, index}; }
};

double dot(const double* vector, HiddenView belief);

class MixedModel {
 public:
  // How the hidden states of one part move to another under one action.
  struct Branch {
    int part = 0;                // the next one
    bool identity = false;       // hidden state i becomes hidden state i: no entries
    std::vector<int> start;      // row y is [start[y], start[y + 1]) of the others
    std::vector<int> column;     // next hidden state
    std::vector<double> chance;  // T(s' | s, a)
  };
  // O(o | s', a) for the states of one part under one action.
  struct Sights {
    std::vector<int> seen;      // the observations that can occur: an outcome is an index into it
    bool certain = false;       // one observation, surely: no entries
    std::vector<double> table;  // [outcome][hidden], or empty where that would be mostly zeros,
    std::vector<int> start, outcome;  // then row y is [start[y], start[y + 1]) of these
    std::vector<double> chance;
  };

  explicit MixedModel(const Tabular& table) : MixedModel(table, find_known_parts(table)) {}
  MixedModel(const Tabular& table, KnownParts parts);

  double discount() const { return discount_; }
  int num_actions() const { return num_actions_; }
  int num_parts() const { return static_cast<int>(parts_.states.size()); }
  int num_states() const { return num_states_; }  // of the table
  const KnownParts& parts() const { return parts_; }
  const std::vector<int>& states(int part) const { return parts_.states[part]; }
  int size(int part) const { return static_cast<int>(parts_.states[part].size()); }
  int largest_part() const { return largest_; }
  const double* reward(int part, int action) const { return reward_[slot(part, action)].data(); }
  std::span<const Branch> branches(int part, int action) const {
    return branches_[slot(part, action)];
  }
  const Sights& sights(int part, int action) const { return sights_[slot(part, action)]; }
  // What a Pomdp of this table shows: visible * num_observations + o.
  int seen_index(int part, int seen) const { return visible_[part] * num_observations_ + seen; }

  int start_part() const { return parts_.start; }
  const HiddenBelief& start() const { return start_; }
  // The chance that an episode goes on at all: the rest of b0 is finished states.
  double start_chance() const { return start_chance_; }
  double max_reward() const { return max_reward_; }  // of any part and action
  double min_reward() const { return min_reward_; }

  // next[y'] += weight of y' after the branch; `next` holds size(branch.part) zeros before.
  void push(const Branch& branch, HiddenView belief, double* next) const;
  // value[y] = sum over y' of T(y' | y) next[y'], added to `value`, times `factor`.
  void pull(const Branch& branch, int from_size, const double* next, double factor,
            double* value) const;

 private:
  size_t slot(int part, int action) const { return size_t(part) * num_actions_ + action; }
  void build_branches(const Tabular& table);
  void build_sights(const Tabular& table);

  double discount_, max_reward_ = 0, min_reward_ = 0, start_chance_ = 0;
  int num_states_, num_actions_, num_observations_, largest_ = 0;
  KnownParts parts_;
  std::vector<int> visible_;  // of each part; -1 for a start that is a copy: nothing leads there
  std::vector<int> part_of_, local_of_;  // of each state; -1: finished or never met
  std::vector<std::vector<double>> reward_;
  std::vector<std::vector<Branch>> branches_;
  std::vector<Sights> sights_;
  HiddenBelief start_;
};

}  // namespace penumbra
