#include "penumbra/solvers/pomcgs/search.h"

#include <algorithm>
#include <cmath>

#include "penumbra/evaluate/simulate.h"

namespace penumbra::pomcgs {
namespace {

constexpr double kTolerance =
    1e-4;  // of the range of rewards: a node that cannot gain more is done

constexpr int kPatience = 4;  // rounds without anything new
constexpr uint32_t kMostSettle = 1u << 30;

}  // namespace

Search::Search(const Pomdp& model, const PomcgsOptions& options, BeliefGraph& graph, RngKey key)
    : options_(options), graph_(graph), key_(key), settle_(options.settle) {
  const Facts& facts = model.facts();
  const double range = facts.max_reward - facts.min_reward + 1e-9;
  depth_ = options.depth > 0 ? options.depth : horizon_for(facts, 0.1 * range);
  tolerance_ = kTolerance * range;
}

bool Search::done(const Node& node, size_t depth) const {
  const double weight = std::pow(graph_.discount(), static_cast<double>(depth));
  return node.support < 0 || depth >= depth_ ||
         weight * (double(node.upper) - node.lower) < tolerance_;
}

int Search::choose(const Node& node) const {
  const bool greedy = settle_ > 0 && node.visits > settle_;
  const double log = std::log(node.visits + 1.0);
  int best = 0;
  double best_score = -HUGE_VAL;
  for (size_t i = 0; i < node.choices.size(); ++i) {
    const Choice& c = node.choices[i];
    double score = c.tried ? c.lower : c.upper;
    if (greedy)
      score = c.lower;
    else if (c.tried || c.visits > 0)
      score = c.lower + options_.ucb * (double(c.upper) - c.lower) * std::sqrt(log / c.visits);
    if (score > best_score) {
      best_score = score;
      best = static_cast<int>(i);
    }
  }
  return best;
}

int Search::next_node(const Choice& choice, Rng& rng) const {
  auto weight = [&](const Edge& e) {
    if (options_.observe == "sample") return double(e.probability);
    const Node& child = graph_[e.child];
    return e.probability * (double(child.upper) - child.lower + 1e-9);
  };
  double total = 0;
  for (const Edge& e : choice.edges) total += weight(e);
  double u = rng.uniform() * total;
  for (const Edge& e : choice.edges)
    if ((u -= weight(e)) < 0) return e.child;
  return choice.edges.empty() ? -1 : choice.edges.back().child;
}

void Search::walk(Trial& trial, int node) {
  while (node >= 0) {
    Node& here = graph_[node];
    if (done(here, trial.path.size())) return;
    // Going round in a circle tells nothing new.
    for (const auto& p : trial.path)
      if (p.node == node) return;
    if (here.choices.empty()) {
      trial.leaf = node;
      return;
    }
    ++here.visits;
    const int c = choose(here);
    Choice& choice = here.choices[c];
    ++choice.visits;
    trial.path.push_back({node, c});
    if (!choice.tried) return;
    node = next_node(choice, trial.rng);
  }
}

void Search::round(uint64_t number, bool full) {
  std::vector<Trial> trials;
  std::vector<int> leaves;
  for (int i = 0; i < options_.trials; ++i) {
    Trial t{{}, -1, Rng(key_.fold(number), static_cast<uint64_t>(i))};
    walk(t, 0);
    trials.push_back(std::move(t));
  }
  // Leaves get their actions, and the trial goes on to try one of them.
  for (const Trial& t : trials) {
    if (t.leaf >= 0) leaves.push_back(t.leaf);
    for (const auto& p : t.path)
      if (graph_.wants_more(graph_[p.node])) leaves.push_back(p.node);
  }
  graph_.open(std::move(leaves));
  std::vector<BeliefGraph::Place> places;
  for (Trial& t : trials) {
    if (t.leaf >= 0) walk(t, t.leaf);
    if (t.path.empty()) continue;
    const auto& last = t.path.back();
    const Node& node = graph_[last.node];
    if (!node.choices[last.choice].tried) places.push_back(last);
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  // Where all is settled, nodes are explored twice as often before they are greedy.
  idle_ = places.empty() ? idle_ + 1 : 0;
  if (idle_ >= kPatience && settle_ > 0 && settle_ < kMostSettle) {
    settle_ *= 2;
    idle_ = 0;
  }
  graph_.expand(places, full);
  std::vector<int> near;
  for (const Trial& t : trials)
    for (const auto& p : t.path) {
      near.push_back(p.node);
      for (const Edge& e : graph_[p.node].choices[p.choice].edges) near.push_back(e.child);
    }
  graph_.refresh(std::move(near));
  for (const Trial& t : trials)
    for (size_t d = t.path.size(); d-- > 0;) {
      graph_.backup(t.path[d].node, t.path[d].choice);
      graph_.backup(t.path[d].node);
    }
}

}  // namespace penumbra::pomcgs
