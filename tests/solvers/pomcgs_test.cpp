#include "penumbra/solvers/pomcgs/pomcgs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domains/registry.h"
#include "penumbra/base/error.h"
#include "penumbra/model/seen_table.h"
#include "penumbra/solvers/pomcgs/search.h"
#include "penumbra/solvers/solver.h"

namespace penumbra::pomcgs {
namespace {

// Everything that a search consists of, on a domain.
struct Parts {
  explicit Parts(const std::string& domain, PomcgsOptions o = {})
      : options(o),
        model(load_finite_domain(domain)),
        mdp(make_mdp_value(*model, {}, RngKey{1}, pool)),
        study(study_actions(*model, RngKey{2}, pool)),
        blind(*model, study, 100, RngKey{3}, pool),
        cells(*model, *mdp, blind, RngKey{4}, pool),
        supports(*model, study, blind, cells, options, RngKey{5}),
        graph(*model, supports, blind, options, RngKey{6}, pool),
        search(*model, options, graph, RngKey{7}) {
    RecordBuffer states(model->state_size(), 4000);
    model->sample_initial({RngKey{8}}, states);
    std::vector<int32_t> first(states.count());
    cells.insert(states, first, pool);
    graph.add_root(first);
  }
  void run(int rounds) {
    for (int i = 0; i < rounds; ++i) search.round(i, false);
  }

  ThreadPool pool{1};
  PomcgsOptions options;
  std::unique_ptr<Pomdp> model;
  std::unique_ptr<MdpValue> mdp;
  ActionStudy study;
  BlindPolicies blind;
  Cells cells;
  Supports supports;
  SearchGraph graph;
  Search search;
};

Solution solve(const std::string& domain, uint64_t backups,
               std::vector<std::pair<std::string, std::string>> options = {}) {
  const auto solver = make_pomcgs();
  OptionList list = solver->options();
  for (const auto& [name, value] : options) list.set(name, value);
  Limits limits;
  limits.seconds = 0;
  limits.backups = backups;
  ThreadPool pool(2);
  return solver->solve(*load_finite_domain(domain), limits, 1, pool, {});
}

TEST(SearchGraph, UpdatesAsBayesDoes) {
  Parts p("tiger");
  p.graph.open({0});
  p.graph.expand(std::vector<SearchGraph::Place>{{0, 0}}, false);  // listen
  const auto& edges = p.graph[0].choices[0].edges;
  ASSERT_EQ(edges.size(), 2u);
  EXPECT_NEAR(edges[0].probability + edges[1].probability, 1, 1e-5);
  const Node& child = p.graph[edges[0].child];
  const float prior = p.graph[0].weights[child.weights[0] > child.weights[1] ? 0 : 1];
  const float likely = std::max(child.weights[0], child.weights[1]);
  EXPECT_NEAR(likely, 0.85 * prior / (0.85 * prior + 0.15 * (1 - prior)), 1e-5);
}

TEST(SearchGraph, PlansKeepWhatTheyPromise) {
  Parts p("rock-sample(n=3,k=2)");
  p.run(160);
  const Fsc fsc = p.graph.controller(SearchGraph::Reading::kPlans);
  Tabular table = seen_table(*p.model);
  // From the belief of the root, whose four states were not drawn equally often.
  std::fill(table.start.begin(), table.start.end(), 0.0);
  const Support& support = p.supports[p.graph[0].support];
  for (size_t i = 0; i < support.count(); ++i) {
    int index;
    p.model->state_index(p.cells.state(support.cells[i]), {&index, 1});
    table.start[index] = p.graph[0].weights[i];
  }
  EXPECT_GT(p.graph[0].lower, 10);
  EXPECT_NEAR(fsc_value(fsc, table), p.graph[0].lower, 1e-3);
}

TEST(SearchGraph, MergesBeliefsThatAreClose) {
  PomcgsOptions coarse, never;
  coarse.merge = 0.3;
  never.merge = -1;
  Parts a("rock-sample(n=3,k=2)", coarse), b("rock-sample(n=3,k=2)", never);
  a.run(80);
  b.run(80);
  EXPECT_GT(a.graph.merged(), 0u);
  EXPECT_EQ(b.graph.merged(), 0u);
  EXPECT_LT(a.graph.size(), b.graph.size());
}

TEST(SearchGraph, TakesInManyActionsStepByStep) {
  PomcgsOptions o;
  o.widen_above = 3;
  o.widen_first = 2;
  Parts p("rock-sample(n=3,k=2)", o);
  p.graph.open({0});
  EXPECT_EQ(p.graph[0].choices.size(), 2u);
  p.run(320);
  EXPECT_GT(p.graph[0].choices.size(), 3u);
  EXPECT_LE(p.graph[0].choices.size(), 7u);
}

TEST(Pomcgs, StopsAtTheOriginOfLightDark) {
  EXPECT_GT(solve("light-dark", 100, {{"particles", "100"}, {"start", "particles"}}).estimate, 1.5);
}

TEST(Pomcgs, GoesWithoutPlansAndWithAGrid) {
  EXPECT_GT(solve("rock-sample(n=3,k=2)", 1000, {{"borrow", "false"}}).estimate, 13);
  EXPECT_GT(solve("light-dark", 50, {{"start", "cells"}, {"cells", "100"}}).estimate, 1);
}

TEST(Pomcgs, RefusesAGridOfStatesWithoutCoordinates) {
  EXPECT_THROW(solve("tiger", 10, {{"start", "cells"}}), Error);
}

TEST(Rows, SparseOnesCountAsDenseOnesDo) {
  const std::vector<float> values{1, 2, 3, 4}, dense{0, 0.25f, 0, 0.75f}, other{0.5f, 0.5f, 0, 0};
  const Row sparse{{1, 3}, {0.25f, 0.75f}};
  const RowView a{nullptr, dense.data(), 4}, b{nullptr, other.data(), 4};
  EXPECT_FLOAT_EQ(dot(sparse.view(), values.data()), dot(a, values.data()));
  EXPECT_FLOAT_EQ(l1_distance(sparse.view(), b, 2), l1_distance(a, b, 2));
  EXPECT_FLOAT_EQ(l1_distance(sparse.view(), a, 2), 0);
}

TEST(PlanBlocks, FindTheBestOfManyPlans) {
  PlanBlocks blocks;
  for (int p = 0; p < 200; ++p) {
    std::vector<float> alpha(300, 0.0f);
    alpha[p] = 1;
    blocks.add(10 + p, alpha);
  }
  const Row at_150{{150}, {1}};
  EXPECT_EQ(blocks.best(at_150.view(), -1).front(), 160);
  EXPECT_TRUE(blocks.best(at_150.view(), 209).empty());
  Row wide{{}, std::vector<float>(300, 0.5f / 299)};
  wide.weights[150] = 0.5f;
  EXPECT_EQ(blocks.best(wide.view(), -1).front(), 160);
}

TEST(Guess, GoesItsWayAndSeesWhatItMay) {
  Parts p("rock-sample(n=3,k=2)");
  p.graph.open({0});
  Rng rng(RngKey{9}, 0);
  Guess guess;
  guess.draw(p.supports, p.graph[0], rng);
  ASSERT_TRUE(guess.made());
  const int c = guess.choose(p.supports, p.graph[0], p.graph.discount(), rng);
  ASSERT_GE(c, 0);
  const int seen = guess.step(p.supports, p.graph[0], p.graph[0].choices[c].action, rng);
  EXPECT_GE(seen, 0);
  EXPECT_LT(seen, p.model->facts().num_observations);
}

}  // namespace
}  // namespace penumbra::pomcgs
