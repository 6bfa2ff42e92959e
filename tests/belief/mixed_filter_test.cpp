#include "penumbra/belief/mixed_filter.h"

#include <gtest/gtest.h>

#include "domains/registry.h"
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
