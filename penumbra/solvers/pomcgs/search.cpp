#include "penumbra/solvers/pomcgs/search.h"

#include <algorithm>
#include <cmath>

#include "penumbra/evaluate/simulate.h"

namespace penumbra::pomcgs {
namespace {

constexpr double kTolerance =
    1e-4;  // of the range of rewards: a node that cannot gain more is done

}  // namespace

Search::Search(const Pomdp& model, const PomcgsOptions& options, SearchGraph& graph, RngKey key,
               bool bounded)
    : options_(options),
      graph_(graph),
      key_(key),
      by_chance_(options.observe == "sample" ||
                 (options.observe == "auto" && graph.supports().closed())) {
  const Facts& facts = model.facts();
  const double range = facts.max_reward - facts.min_reward + 1e-9;
  depth_ = options.depth > 0 ? options.depth : horizon_for(facts, 0.1 * range);
  tolerance_ = bounded ? kTolerance * range : -HUGE_VAL;
}

bool Search::done(const Node& node, size_t depth) const {
  const double weight = std::pow(graph_.discount(), static_cast<double>(depth));
  return node.support < 0 || depth >= depth_ ||
         weight * (double(node.upper) - node.lower) < tolerance_;
}

bool Search::untried(const SearchGraph::Place& p) const {
  return !graph_[p.node].choices[p.choice].tried;
}

int Search::choose(const Node& node, double width) const {
  const double log = std::log(node.visits + 1.0);
  int best = 0;
  double best_score = -HUGE_VAL;
  for (size_t i = 0; i < node.choices.size(); ++i) {
    const Choice& c = node.choices[i];
    const double score = c.lower + width * (double(c.upper) - c.lower) *
                                       std::sqrt(log / std::max<uint32_t>(c.visits, 1));
    if (score > best_score) {
      best_score = score;
      best = static_cast<int>(i);
    }
  }
  return best;
}

// The plan's own action, or in a burst one by UCB or the best for a guessed state.
int Search::choose(const Node& node, Trial& t) {
  if (t.exploring > 0) {
    --t.exploring;
  } else if (t.rng.bernoulli(options_.explore)) {
    t.exploring = static_cast<int>(t.rng.below(options_.burst));
    t.guess.drop();
    if (t.rng.bernoulli(options_.guess)) t.guess.draw(graph_.supports(), node, t.rng);
    t.width = options_.ucb;
  } else {
    t.guess.drop();
    t.width = 0;
  }
  t.seen = -1;
  if (t.guess.made()) {
    graph_.recall(node);
    const int c = t.guess.choose(graph_.supports(), node, graph_.discount(), t.rng);
    if (c >= 0) {
      t.seen = t.guess.step(graph_.supports(), node, node.choices[c].action, t.rng);
      return c;
    }
  }
  return choose(node, t.width);
}

int Search::next_node(const Choice& choice, Trial& trial) const {
  for (const Edge& e : choice.edges)
    if (e.seen == trial.seen) return e.child;
  auto weight = [&](const Edge& e) {
    if (by_chance_) return double(e.probability);
    const Node& child = graph_[e.child];
    return e.probability * (double(child.upper) - child.lower + 1e-9);
  };
  double total = 0;
  for (const Edge& e : choice.edges) total += weight(e);
  double u = trial.rng.uniform() * total;
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
    const int c = choose(here, trial);
    Choice& choice = here.choices[c];
    ++choice.visits;
    trial.path.push_back({trial.node, c});
    if (!choice.tried) return;
    trial.node = next_node(choice, trial);
  }
  trial.node = -1;
}

// Beside the way, actions that were never tried get their turn: a backup sees all of them in time.
bool Search::probe(std::vector<Trial>& trials, bool full) {
  std::vector<SearchGraph::Place> places;
  std::vector<int> untried;
  for (Trial& t : trials)
    for (const auto& p : t.path) {
      const Node& node = graph_[p.node];
      untried.clear();
      for (size_t c = 0; c < node.choices.size(); ++c)
        if (!node.choices[c].tried && node.choices[c].upper > node.lower)
          untried.push_back(static_cast<int>(c));
      for (int k = 0; k < options_.probes && !untried.empty(); ++k)
        places.push_back({p.node, untried[t.rng.below(static_cast<uint32_t>(untried.size()))]});
    }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  graph_.expand(places, full);
  return !places.empty();
}

void Search::round(uint64_t number, bool full) {
  std::vector<Trial> trials(options_.trials);
  for (size_t i = 0; i < trials.size(); ++i) trials[i].rng = Rng(key_.fold(number), i);
  bool nothing_new = true;
  for (bool going = true; going;) {
    std::vector<int> leaves;
    for (Trial& t : trials) {
      walk(t);
      if (t.leaf >= 0) leaves.push_back(t.leaf);
      for (const auto& p : t.path)
        if (graph_.wants_more(graph_[p.node])) leaves.push_back(p.node);
    }
    graph_.open(std::move(leaves));
    std::vector<SearchGraph::Place> places;
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
      t.node = next_node(graph_[last.node].choices[last.choice], t);
    }
  }
  nothing_new = !probe(trials, full) && nothing_new;
  idle_ = nothing_new ? idle_ + 1 : 0;
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
