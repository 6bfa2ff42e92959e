#include "penumbra/belief/mixed_filter.h"

#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/base/rng.h"
#include "penumbra/belief/exact_filter.h"

namespace penumbra {
namespace {

TEST(MixedFilter, TracksAsTheFlatFilterDoes) {
  Tabular table = load_domain("rock-sample(map=4-4,rules=modern)")->table();
  table.visible.clear();
  table.num_visible = 1;
  const MixedModel model(table);
  MixedFilter filter(model);
  const ExactFilter flat(table);
  std::vector<double> expected = flat.initial();
  int part = model.start_part();
  HiddenBelief belief = model.start();
  for (const auto& [action, seen] : {std::pair{5, 1}, {2, 2}, {6, 0}, {8, 1}, {1, 2}, {5, 0}}) {
    const double chance = filter.track(part, belief, action, seen);
    EXPECT_NEAR(chance, flat.update(expected, action, seen), 1e-12);
    const HiddenView view = belief.view();
    for (size_t i = 0; i < view.size(); ++i)
      EXPECT_NEAR(view.value[i], expected[model.states(part)[view.at(i)]], 1e-12);
  }
}

// Few states follow each state, so that beliefs are lists at first and arrays later.
Tabular random_table(int states, uint64_t seed) {
  Rng rng(RngKey::from_seed(seed), 0);
  Tabular t;
  t.name = "random";
  t.num_states = states;
  t.num_actions = 2;
  t.num_observations = 3;
  t.transition.resize(2);
  t.observation.resize(2);
  for (int a = 0; a < 2; ++a)
    for (int s = 0; s < states; ++s) {
      const auto next = static_cast<int>(rng.below(states - 2));
      for (int k = 0; k < 3; ++k) t.transition[a].add(next + k, k == 0 ? 0.5 : 0.25);
      const double p = 0.1 + 0.3 * rng.uniform();
      for (int o = 0; o < 3; ++o) t.observation[a].add(o, o == 0 ? 1 - 2 * p : p);
      t.transition[a].end_row();
      t.observation[a].end_row();
    }
  t.reward.assign(2, std::vector<double>(states, 1.0));
  t.start.assign(states, 0.0);
  t.start[0] = 1;
  t.terminal.assign(states, 0);
  return t;
}

TEST(MixedFilter, ListsAndArraysOfProbabilitiesAgreeWithTheFlatFilter) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Tabular table = random_table(12, seed);
    const MixedModel model(table);
    MixedFilter filter(model);
    const ExactFilter flat(table);
    std::vector<double> expected = flat.initial();
    int part = model.start_part();
    HiddenBelief belief = model.start();
    for (int step = 0; step < 8; ++step) {
      const int action = step % 2, seen = static_cast<int>((seed + step) % 3);
      EXPECT_NEAR(filter.track(part, belief, action, seen), flat.update(expected, action, seen),
                  1e-12);
      std::vector<double> found(table.num_states, 0.0);
      const HiddenView view = belief.view();
      for (size_t i = 0; i < view.size(); ++i)
        found[model.states(part)[view.at(i)]] += view.value[i];
      for (int s = 0; s < table.num_states; ++s) EXPECT_NEAR(found[s], expected[s], 1e-12);
    }
  }
}

TEST(MixedFilter, WhatCannotBeSeenChangesNothing) {
  const Tabular table = load_domain("rock-sample(map=4-4,rules=modern)")->table();
  const MixedModel model(table);
  MixedFilter filter(model);
  int part = model.start_part();
  HiddenBelief belief = model.start();
  EXPECT_EQ(filter.track(part, belief, 0, 0), 0);
  EXPECT_EQ(part, model.start_part());
  EXPECT_EQ(belief.value, model.start().value);
}

TEST(MixedFilter, TheChancesOfAllSuccessorsSumToOne) {
  const Tabular table = load_domain("tiger")->table();
  const MixedModel model(table);
  MixedFilter filter(model);
  std::vector<MixedFilter::Successor> next;
  for (int a = 0; a < 3; ++a) {
    filter.successors(model.start_part(), model.start().view(), a, next);
    double sum = 0;
    for (const auto& n : next) sum += n.chance;
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

}  // namespace
}  // namespace penumbra
