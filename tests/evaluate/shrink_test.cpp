#include "penumbra/evaluate/shrink.h"

#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/evaluate/arrivals.h"
#include "penumbra/policy/fnc.h"
#include "tests/policy/tiger_controllers.h"

namespace penumbra {
namespace {

// Counts up to `most` more of one side than of the other: long after it should have opened a door.
Fsc stubborn_tiger(int most) {
  Fsc fsc{2, 0, {}, {}};
  for (int n = 0; n < 2 * most + 1; ++n)
    fsc.add_node(n == 0 ? Tiger::kOpenLeft : n == 2 * most ? Tiger::kOpenRight : Tiger::kListen);
  for (int n = 1; n < 2 * most; ++n) {
    fsc.set_edge(n, 0, n + 1);
    fsc.set_edge(n, 1, n - 1);
  }
  for (int o = 0; o < 2; ++o) {
    fsc.set_edge(0, o, most);
    fsc.set_edge(2 * most, o, most);
  }
  fsc.start = most;
  return fsc;
}

// A copy of every node for each of `steps` steps, so that equal behaviour has many nodes.
Fsc unrolled(const Fsc& fsc, int steps) {
  const int n = fsc.num_nodes();
  Fsc out{fsc.num_observations, fsc.start, {}, {}};
  for (int t = 0; t < steps; ++t)
    for (int node = 0; node < n; ++node) out.add_node(fsc.action[size_t(node)]);
  for (int t = 0; t < steps; ++t)
    for (int node = 0; node < n; ++node)
      for (int o = 0; o < fsc.num_observations; ++o)
        out.set_edge(t * n + node, o, std::min(t + 1, steps - 1) * n + fsc.next(node, o));
  return out;
}

TEST(Arrivals, AreTheEpisodesThatComeAlongAnEdge) {
  const auto model = load_domain("tiger");
  ThreadPool pool(2);
  const Fsc fsc = tiger_controller();
  const Arrivals a =
      find_arrivals(*model, fsc, {.episodes = 3000, .max_steps = 20}, RngKey::from_seed(1), pool);
  EXPECT_EQ(a.num_edges(), fsc.edges.size() + 1);
  EXPECT_DOUBLE_EQ(a.weight.back(), 1);  // every episode begins once
  EXPECT_EQ(a.of(a.num_edges() - 1).count, 256u);
  // What leaves the first node has come to it a step before, but for the cut at the end.
  double came = a.weight.back();
  for (size_t e = 0; e < fsc.edges.size(); ++e) came += fsc.edges[e] == 0 ? a.weight[e] : 0;
  EXPECT_NEAR(a.weight[0] + a.weight[1], 0.95 * came, 0.36);  // 0.95^20
  double on_the_left = 0;
  const ConstRecords heard_left = a.of(0);
  for (size_t i = 0; i < heard_left.count; ++i) on_the_left += heard_left.as<int>(i) == 0;
  EXPECT_NEAR(on_the_left / double(heard_left.count), 0.85, 0.1);
}

TEST(Arrivals, DoNotDependOnThreads) {
  const auto model = load_domain("tiger");
  ThreadPool one(1), three(3);
  const ArrivalOptions o{.episodes = 2000, .max_steps = 20};
  const Arrivals a = find_arrivals(*model, tiger_controller(), o, RngKey::from_seed(2), one);
  const Arrivals b = find_arrivals(*model, tiger_controller(), o, RngKey::from_seed(2), three);
  EXPECT_EQ(a.weight, b.weight);
  EXPECT_EQ(a.states, b.states);
}

TEST(Shrink, EqualNodesCostNothing) {
  const auto model = load_domain("tiger");
  ThreadPool pool(2);
  const Shrunk s = shrink(*model, unrolled(tiger_controller(), 10),
                          {.loss = 1e-9, .episodes = 2000, .max_steps = 40}, pool);
  EXPECT_EQ(s.nodes_before, 50);
  EXPECT_EQ(s.nodes_minimal, 5);
  EXPECT_LE(s.fsc.num_nodes(), 5);
  EXPECT_LE(s.check.difference.mean, 1e-9);
}

TEST(Shrink, WhatCostsLittleGoesAndWhatItCostIsMeasured) {
  const auto model = load_domain("tiger");
  ThreadPool pool(2);
  const Fsc fsc = stubborn_tiger(6);
  const Shrunk s = shrink(*model, fsc, {.loss = 1, .episodes = 4000, .max_steps = 60}, pool);
  EXPECT_LT(s.fsc.num_nodes(), s.nodes_minimal);
  EXPECT_LT(s.check.difference.mean, 1 + 3 * s.check.difference.standard_error);
  check_fsc(s.fsc, model->facts());
  // The figures are those of a comparison that anybody can make.
  EXPECT_EQ(s.check.difference.count, 4000u);
  EXPECT_NEAR(s.check.a.mean - s.check.b.mean, s.check.difference.mean, 1e-9);
}

TEST(Shrink, DoesNotDependOnThreads) {
  const auto model = load_domain("rock-sample(n=3,k=2)");
  Fsc fsc{model->facts().num_observations, 0, {}, {}};
  Rng rng(RngKey::from_seed(4), 0);
  for (int n = 0; n < 30; ++n) fsc.add_node(int(rng.below(uint32_t(model->facts().num_actions))));
  for (int& edge : fsc.edges) edge = int(rng.below(30));
  ThreadPool one(1), three(3);
  const ShrinkOptions o{.loss = 0.5, .episodes = 1500, .max_steps = 30, .max_rounds = 3};
  const Shrunk a = shrink(*model, fsc, o, one), b = shrink(*model, fsc, o, three);
  EXPECT_EQ(a.fsc, b.fsc);
  EXPECT_EQ(a.check.difference.mean, b.check.difference.mean);
}

TEST(Shrink, RealActionsStay) {
  const auto model = load_domain("vdp-tag(clusters=4)");
  Fsc fsc{model->facts().num_observations, 0, {}, {}};
  fsc.action_width = int(model->action_size() / sizeof(float));
  for (int n = 0; n < 4; ++n) {
    fsc.add_node(n % 2);
    for (int i = 0; i < fsc.action_width && n < 2; ++i)
      fsc.action_values.push_back(model->facts().action_low[size_t(i)] + 0.1f * float(n + 1));
  }
  for (size_t e = 0; e < fsc.edges.size(); ++e) fsc.edges[e] = int(e % 4);
  ThreadPool pool(2);
  const Shrunk s =
      shrink(*model, fsc, {.loss = 5, .episodes = 300, .max_steps = 10, .max_rounds = 2}, pool);
  EXPECT_EQ(s.fsc.action_width, fsc.action_width);
  check_fsc(s.fsc, model->facts());
}

}  // namespace
}  // namespace penumbra
