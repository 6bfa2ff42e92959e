#include "penumbra/solvers/pomcgs/search.h"

#include <algorithm>
#include <cmath>

#include "penumbra/evaluate/simulate.h"

namespace penumbra::pomcgs {
namespace {

constexpr double kTolerance =
    1e-4;  // of the range of rewards: a node that cannot gain more is done

constexpr double kMostWork = 4e6;  // of a round, so that it does not take long
constexpr int kPatience = 4;       // rounds without anything new
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

bool Search::untried(const BeliefGraph::Place& p) const {
  return !graph_[p.node].choices[p.choice].tried;
}

int Search::choose(const Node& node, double width) const {
  const bool greedy = settle_ > 0 && node.visits > settle_;
  const double log = std::log(node.visits + 1.0);
  int best = 0;
  double best_score = -HUGE_VAL;
  for (size_t i = 0; i < node.choices.size(); ++i) {
    const Choice& c = node.choices[i];
    double score = c.lower;
    if (!greedy)
      score +=
          width * (double(c.upper) - c.lower) * std::sqrt(log / std::max<uint32_t>(c.visits, 1));
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

// Goes on until there is nothing known to go by: a node without actions, or an untried action.
void Search::walk(Trial& trial) {
  trial.leaf = -1;
  while (trial.node >= 0) {
    Node& here = graph_[trial.node];
    // Going round in a circle tells nothing new.
    for (const auto& p : trial.path)
      if (p.node == trial.node) trial.node = -1;
    if (trial.node < 0 || done(here, trial.path.size())) break;
    if (here.choices.empty()) {
      trial.leaf = trial.node;
      return;
    }
    ++here.visits;
    const int c = choose(here, trial.width);
    Choice& choice = here.choices[c];
    ++choice.visits;
    trial.path.push_back({trial.node, c});
    if (!choice.tried) return;
    trial.node = next_node(choice, trial.rng);
  }
  trial.node = -1;
}

// Beside the way, actions that were never tried get their turn: a backup sees all of them in time.
void Search::probe(std::vector<Trial>& trials, bool full) {
  std::vector<BeliefGraph::Place> places;
  std::vector<int> untried;
  for (Trial& t : trials)
    for (const auto& p : t.path) {
      const Node& node = graph_[p.node];
      untried.clear();
      for (size_t c = 0; c < node.choices.size(); ++c)
        if (!node.choices[c].tried) untried.push_back(static_cast<int>(c));
      for (int k = 0; k < options_.probes && !untried.empty(); ++k)
        places.push_back({p.node, untried[t.rng.below(static_cast<uint32_t>(untried.size()))]});
    }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  graph_.expand(places, full);
}

void Search::round(uint64_t number, bool full) {
  std::vector<Trial> trials;
  for (int i = 0; i < options_.trials; ++i) {
    Trial t{{}, 0, -1, 0, 0, Rng(key_.fold(number), static_cast<uint64_t>(i))};
    t.width = options_.ucb * std::pow(options_.spread, -t.rng.uniform());
    trials.push_back(std::move(t));
  }
  bool nothing_new = true;
  const double enough = graph_.work() + kMostWork;
  for (bool going = true; going && graph_.work() < enough;) {
    std::vector<int> leaves;
    for (Trial& t : trials) {
      walk(t);
      if (t.leaf >= 0) leaves.push_back(t.leaf);
      for (const auto& p : t.path)
        if (graph_.wants_more(graph_[p.node])) leaves.push_back(p.node);
    }
    graph_.open(std::move(leaves));
    std::vector<BeliefGraph::Place> places;
    for (Trial& t : trials) {
      if (t.leaf >= 0) walk(t);
      if (t.node >= 0 && !untried(t.path.back())) t.node = -1;
      if (t.node >= 0) places.push_back(t.path.back());
    }
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    going = !places.empty();
    nothing_new = nothing_new && !going;
    graph_.expand(places, full);
    for (Trial& t : trials) {
      if (t.node < 0) continue;
      const auto& last = t.path.back();
      t.node = ++t.tried < options_.burst ? next_node(graph_[last.node].choices[last.choice], t.rng)
                                          : -1;
    }
  }
  // Where all is settled, nodes are explored twice as often before they are greedy.
  idle_ = nothing_new ? idle_ + 1 : 0;
  if (idle_ >= kPatience && settle_ > 0 && settle_ < kMostSettle) {
    settle_ *= 2;
    idle_ = 0;
  }
  if (graph_.work() < enough) probe(trials, full);
  std::vector<int> near;
  for (const Trial& t : trials)
    for (const auto& p : t.path) near.push_back(p.node);
  graph_.refresh(std::move(near));
  for (const Trial& t : trials)
    for (size_t d = t.path.size(); d-- > 0;) {
      graph_.backup(t.path[d].node, t.path[d].choice);
      graph_.backup(t.path[d].node);
    }
}

}  // namespace penumbra::pomcgs
