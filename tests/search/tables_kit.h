// Tables with their optimum, for tests of planners.
#pragma once

#include <algorithm>
#include <cmath>

#include "penumbra/belief/exact_filter.h"
#include "penumbra/policy/alpha_vectors.h"
#include "penumbra/policy/playable.h"
#include "tests/solvers/tables.h"

namespace penumbra::search {

// A machine that wears out unseen: run, look (good chance to tell), repair.
inline Tabular machine_table() {
  Tabular t;
  t.name = "machine";
  t.num_states = 3;
  t.num_actions = 3;
  t.num_observations = 2;
  t.discount = 0.9;
  t.start = {0.8, 0.1, 0.1};
  t.terminal = {0, 0, 0};
  t.action_names = {"run", "look", "repair"};
  t.reward = {{2, 0.5, -3}, {-0.5, -0.5, -0.5}, {-4, -4, -4}};
  const double wear[3][3] = {{0.8, 0.15, 0.05}, {0, 0.7, 0.3}, {0, 0, 1}};
  const double bad[3][3] = {{0.3, 0.5, 0.7}, {0.1, 0.5, 0.95}, {0.5, 0.5, 0.5}};
  t.transition.resize(3);
  t.observation.resize(3);
  for (int a = 0; a < 3; ++a) {
    for (int s = 0; s < 3; ++s) {
      for (int to = 0; to < 3; ++to) {
        const double p = a == 0 ? wear[s][to] : a == 1 ? double(s == to) : double(to == 0);
        if (p > 0) t.transition[a].add(to, p);
      }
      t.transition[a].end_row();
      t.observation[a].add(0, 1 - bad[a][s]);
      t.observation[a].add(1, bad[a][s]);
      t.observation[a].end_row();
    }
  }
  return t;
}

// The same with less weight on what comes later: trees need not be deep.
inline Tabular impatient(Tabular table) {
  table.discount = 0.75;
  return table;
}

struct Solved {
  std::unique_ptr<Pomdp> model;
  Tabular table;
  Solution solution;

  explicit Solved(const Tabular& t, double gap = 1e-2)
      : model(tabular_pomdp(t)), table(t), solution(solve_table("sarsop", t, gap)) {}
  std::unique_ptr<Policy> policy() const { return playable(solution.policy, *model); }
  // V*(b), from below.
  double value(const std::vector<double>& belief) const {
    const AlphaVectors& all = policy_as<VectorPolicy>(solution.policy)->vectors;
    double best = -1e300;
    for (const AlphaVectors::Vector& v : all.vectors) {
      double sum = 0, mass = 0;
      for (size_t i = 0; i < v.value.size(); ++i) {
        const double b = belief[all.parts[v.part][i]];
        sum += b * v.value[i];
        mass += b;
      }
      if (mass > 1 - 1e-9) best = std::max(best, sum);
    }
    return best;
  }
};

// The states that a belief gives weight, with it.
struct WeightedRoot {
  RecordBuffer states{sizeof(int32_t)};
  std::vector<double> weights;

  explicit WeightedRoot(const std::vector<double>& belief) {
    for (size_t s = 0; s < belief.size(); ++s) {
      if (!(belief[s] > 0)) continue;
      const auto state = static_cast<int32_t>(s);
      states.push_back(reinterpret_cast<const std::byte*>(&state));
      weights.push_back(belief[s]);
    }
  }
};

}  // namespace penumbra::search
