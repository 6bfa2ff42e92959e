#include "penumbra/solvers/pomcgs/search_graph.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "penumbra/base/error.h"
#include "penumbra/policy/fnc.h"
#include "penumbra/solvers/pomcgs/rows.h"

namespace penumbra::pomcgs {
namespace {

constexpr double kLeastChance = 1e-6;  // of an observation that gets a node of its own
constexpr float kLeastWeight = 1e-6f;  // states below this are given up where most are

}  // namespace

SearchGraph::SearchGraph(const Pomdp& model, Supports& supports, const BlindPolicies& blind,
                         const PomcgsOptions& options, RngKey key, ThreadPool& pool,
                         ActionStock* stock)
    : model_(model),
      stock_(stock),
      supports_(supports),
      blind_(blind),
      options_(options),
      key_(key),
      discount_(model.facts().discount),
      pool_(pool),
      plans_(model, supports, blind),
      worth_it_(static_cast<float>(options.precision *
                                   (model.facts().max_reward - model.facts().min_reward))) {}

void SearchGraph::add_root(std::vector<int32_t> cells) {
  const auto total = static_cast<float>(cells.size());
  std::sort(cells.begin(), cells.end());
  Node root;
  std::vector<int32_t> distinct;
  for (int32_t c : cells) {
    if (distinct.empty() || distinct.back() != c) {
      distinct.push_back(c);
      root.weights.push_back(0);
    }
    root.weights.back() += 1;
  }
  for (float& w : root.weights) w /= total;
  root.support = supports_.insert(std::move(distinct));
  value(root);
  add(std::move(root), false);
}

void SearchGraph::add_root(Row row, int support) {
  Node root;
  root.support = support;
  thin(row, 0);
  root.places = std::move(row.places);
  root.weights = std::move(row.weights);
  value(root);
  add(std::move(root), false);
}

void SearchGraph::value(Node& node) const {
  const Support& s = supports_[node.support];
  const size_t n = s.count();
  node.qmdp = node.upper = dot(node.row(), s.mdp.data());
  node.blind_value = -HUGE_VALF;
  for (int k = 0; k < blind_.size(); ++k) {
    const float v = dot(node.row(), &s.blind[k * n]);
    if (v <= node.blind_value) continue;
    node.blind_value = v;
    node.blind = k;
  }
  node.lower = node.blind_value;
  node.plan = node.blind;
  node.known = -1;
  if (options_.borrow) plans_.borrow(node.support, node.row(), node.known, node.plan, node.lower);
  node.upper = std::max(node.upper, node.lower);
}

Row SearchGraph::carried(const Node& node, const Transit& t) const {
  Row p;
  if (t.to < 0) return p;
  if (t.stays) return {node.places, node.weights};
  const RowView from = node.row();
  p.weights.assign(supports_[t.to].count(), 0.0f);
  for (size_t i = 0; i < from.count; ++i) {
    const size_t s = from.place(i);
    for (uint32_t e = t.row[s]; e < t.row[s + 1]; ++e)
      p.weights[t.next[e]] += from.weight[i] * t.share[e];
  }
  if (supports_.closed()) thin(p, 0);
  return p;
}

// Leaves out what weighs no more than `least`, where most do.
void SearchGraph::thin(Row& row, float least) {
  const auto many = static_cast<size_t>(
      std::count_if(row.weights.begin(), row.weights.end(), [&](float w) { return w > least; }));
  if (many == 0 || 4 * many > 3 * row.weights.size()) return;
  Row kept;
  kept.places.reserve(many);
  kept.weights.reserve(many);
  for (size_t i = 0; i < row.weights.size(); ++i)
    if (row.weights[i] > least) {
      kept.places.push_back(row.places.empty() ? static_cast<uint32_t>(i) : row.places[i]);
      kept.weights.push_back(row.weights[i]);
    }
  row = std::move(kept);
}

// QMDP and "this once, then blind" from one look ahead.
void SearchGraph::start(Choice& choice, const Node& node) const {
  const Transit& t = supports_.transit(node.support, choice.action);
  choice.reward = dot(node.row(), t.reward.data());
  choice.lower = choice.upper = choice.reward;
  if (t.to < 0) return;
  const Row p = carried(node, t);
  const Support& s = supports_[t.to];
  const auto g = static_cast<float>(discount_);
  float best = -HUGE_VALF;
  for (int k = 0; k < blind_.size(); ++k) {
    const float v = dot(p.view(), &s.blind[k * s.count()]);
    if (v <= best) continue;
    best = v;
    choice.plan = k;
  }
  if (options_.borrow && !supports_.closed())
    plans_.borrow(t.to, p.view(), choice.known, choice.plan, best);
  choice.lower += g * best;
  choice.upper = std::max(choice.lower, choice.upper + g * dot(p.view(), s.mdp.data()));
}

size_t SearchGraph::num_choices(uint32_t visits) const {
  const auto all = static_cast<size_t>(model_.facts().num_actions);
  const double more =
      options_.widen_scale * std::pow(visits, stock_ ? options_.widen_box : options_.widen_power);
  if (stock_)
    return std::min(all, static_cast<size_t>(options_.widen_first)) + static_cast<size_t>(more);
  if (all <= static_cast<size_t>(options_.widen_above)) return all;
  return std::min(all, static_cast<size_t>(options_.widen_first + more));
}

// One of every four from anywhere in the box, the others around the best so far: closer the more
// there are.
int SearchGraph::fresh_action(const Node& node, int number) {
  constexpr double kWide = 0.2;
  Rng rng(key_.fold("fresh").fold(static_cast<uint64_t>(number)), node.choices.size());
  std::vector<float> drawn(stock_->width());
  const Facts& box = stock_->inner().facts();
  const Choice* best = nullptr;
  for (const Choice& c : node.choices)
    if (!best || c.lower > best->lower) best = &c;
  if (!best || rng.below(4) == 0) {
    draw_in_box(box, rng, drawn);
  } else {
    const std::span<const float> centre = stock_->row(best->action);
    draw_near(box, centre, kWide * std::exp2(-6 * rng.uniform()), rng, drawn);
  }
  return stock_->append(drawn);
}

bool SearchGraph::wants_more(const Node& node) const {
  return node.support >= 0 && node.choices.size() < num_choices(node.visits);
}

void SearchGraph::open(std::vector<int> nodes) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  std::erase_if(nodes, [&](int n) { return !wants_more(nodes_[n]); });
  std::vector<Supports::Want> wanted;
  std::vector<size_t> before;
  for (int number : nodes) {
    Node& node = nodes_[number];
    before.push_back(node.choices.size());
    const size_t all = model_.facts().num_actions, now = num_choices(node.visits);
    std::vector<int> order(all);
    std::iota(order.begin(), order.end(), 0);
    if (stock_ || all > static_cast<size_t>(options_.widen_above)) {
      Rng rng(key_.fold("order"), number);
      for (size_t i = 0; i + 1 < all; ++i)
        std::swap(order[i], order[i + rng.below(static_cast<uint32_t>(all - i))]);
    }
    for (size_t i = node.choices.size(); i < now; ++i) {
      const bool fresh = stock_ && i >= std::min(all, static_cast<size_t>(options_.widen_first));
      const int action = fresh ? fresh_action(node, number) : order[i];
      node.choices.emplace_back().action = action;
      wanted.push_back({node.support, action});
      work_ += static_cast<double>(node.weights.size()) * (1 + model_.facts().num_observations);
    }
    bytes_ += static_cast<double>((now - before.back()) * sizeof(Choice));
  }
  supports_.make(std::move(wanted), pool_);
  of_support_.resize(supports_.count());
  pool_.for_chunks(nodes.size(), 1, [&](size_t i, size_t, size_t) {
    Node& node = nodes_[nodes[i]];
    for (size_t c = before[i]; c < node.choices.size(); ++c) start(node.choices[c], node);
  });
  for (int number : nodes) backup(number);
}

std::vector<NewBelief> SearchGraph::children(const Node& node, const Choice& choice) const {
  const Transit& t = supports_.transit(node.support, choice.action);
  std::vector<NewBelief> found;
  if (t.to < 0) return found;
  const Row p = carried(node, t);
  const RowView now = p.view();
  const size_t n = supports_[t.to].count();
  for (size_t k = 0; k < t.seen.size(); ++k) {
    NewBelief b;
    b.seen = t.seen[k];
    const float* chance = &t.chance[k * n];
    const float total = dot(now, chance);
    if (!(total > kLeastChance)) continue;
    b.probability = total;
    b.node.support = t.to;
    Row row{p.places, std::vector<float>(now.count)};
    const float scale = 1 / total;
    for (size_t j = 0; j < now.count; ++j)
      row.weights[j] = scale * now.weight[j] * chance[now.place(j)];
    if (supports_.closed()) {
      thin(row, kLeastWeight);
      const float kept = std::accumulate(row.weights.begin(), row.weights.end(), 0.0f);
      for (float& w : row.weights) w /= kept;
    }
    b.node.places = std::move(row.places);
    b.node.weights = std::move(row.weights);
    value(b.node);
    found.push_back(std::move(b));
  }
  return found;
}

int32_t SearchGraph::mode(const Node& node) const {
  const auto best = std::max_element(node.weights.begin(), node.weights.end());
  return supports_[node.support].cells[node.row().place(best - node.weights.begin())];
}

float SearchGraph::distance(const Node& a, const Node& b, float most) const {
  if (a.support == b.support) return l1_distance(a.row(), b.row(), most);
  const auto &x = supports_[a.support].cells, &y = supports_[b.support].cells;
  float total = 0;
  size_t i = 0, j = 0;
  while (i < x.size() && j < y.size() && total <= most) {
    if (x[i] == y[j])
      total += std::abs(a.weights[i++] - b.weights[j++]);
    else if (x[i] < y[j])
      total += a.weights[i++];
    else
      total += b.weights[j++];
  }
  for (; i < x.size() && total <= most; ++i) total += a.weights[i];
  for (; j < y.size() && total <= most; ++j) total += b.weights[j];
  return total;
}

// The closest of the nodes that are nearest in QMDP value, if it is close enough.
void SearchGraph::find_twin(NewBelief& b) const {
  if (options_.merge < 0) return;
  auto look = [&](const ByValue& nodes) {
    float best = b.twin >= 0 ? b.distance : static_cast<float>(options_.merge);
    auto up = nodes.lower_bound(b.node.qmdp), down = up;
    for (int tries = 0; tries < options_.candidates; ++tries) {
      const bool can_fall = down != nodes.begin(), can_rise = up != nodes.end();
      if (!can_fall && !can_rise) return;
      const bool rise = can_rise && (!can_fall || up->first - b.node.qmdp <=
                                                      b.node.qmdp - std::prev(down)->first);
      const int other = rise ? (up++)->second : (--down)->second;
      const float d = distance(b.node, nodes_[other], best);
      if (d > best || (d == best && b.twin >= 0)) continue;
      b.twin = other;
      b.distance = best = d;
      if (d == 0) return;
    }
  };
  if (static_cast<size_t>(b.node.support) < of_support_.size()) look(of_support_[b.node.support]);
  if (b.twin >= 0 && b.distance == 0) return;
  if (const auto it = of_mode_.find(mode(b.node)); it != of_mode_.end()) look(it->second);
}

// Where nearly all weight is on few states the others are left out.
void SearchGraph::shrink(Node& node, std::vector<int32_t>& kept) const {
  if (supports_.closed()) return;
  const size_t n = node.weights.size();
  const auto many = static_cast<size_t>(std::count_if(node.weights.begin(), node.weights.end(),
                                                      [](float w) { return w > kLeastWeight; }));
  if (many == 0 || 4 * many > n) return;
  const Support& s = supports_[node.support];
  std::vector<float> weights;
  float total = 0;
  for (size_t i = 0; i < n; ++i)
    if (node.weights[i] > kLeastWeight) {
      kept.push_back(s.cells[i]);
      weights.push_back(node.weights[i]);
      total += node.weights[i];
    }
  for (float& w : weights) w /= total;
  node.weights = std::move(weights);
}

void SearchGraph::expand(std::span<const Place> places, bool full) {
  std::vector<Supports::Want> wanted;
  for (const Place& p : places)
    work_ +=
        static_cast<double>(nodes_[p.node].weights.size()) * (1 + model_.facts().num_observations);
  for (const Place& p : places)
    wanted.push_back({nodes_[p.node].support, nodes_[p.node].choices[p.choice].action});
  supports_.make(std::move(wanted), pool_);
  of_support_.resize(supports_.count());
  std::vector<std::vector<NewBelief>> found(places.size());
  std::vector<std::vector<std::vector<int32_t>>> kept(places.size());
  pool_.for_chunks(places.size(), 1, [&](size_t i, size_t, size_t) {
    const Node& node = nodes_[places[i].node];
    found[i] = children(node, node.choices[places[i].choice]);
    kept[i].resize(found[i].size());
    for (size_t k = 0; k < found[i].size(); ++k) shrink(found[i][k].node, kept[i][k]);
  });
  for (size_t i = 0; i < places.size(); ++i)
    for (size_t k = 0; k < found[i].size(); ++k) {
      if (kept[i][k].empty()) continue;
      found[i][k].node.support = supports_.insert(std::move(kept[i][k]));
      value(found[i][k].node);
    }
  promise(found);
  of_support_.resize(supports_.count());
  const int before = size();
  pool_.for_chunks(places.size(), 1, [&](size_t i, size_t, size_t) {
    for (NewBelief& b : found[i]) find_twin(b);
  });
  for (size_t i = 0; i < places.size(); ++i) {
    for (NewBelief& b : found[i]) {
      // Nodes of this very round were not there when twins were looked for.
      if (b.twin < 0 && size() > before) find_twin(b);
      if (b.twin >= 0) ++merged_;
      const int child = b.twin >= 0 ? b.twin : add(std::move(b.node), full);
      nodes_[places[i].node].choices[places[i].choice].edges.push_back(
          {b.seen, child, static_cast<float>(b.probability)});
      bytes_ += sizeof(Edge);
    }
    nodes_[places[i].node].choices[places[i].choice].tried = true;
  }
}

// QMDP of new beliefs: the best of one known action, and the state is seen afterwards.
void SearchGraph::promise(std::vector<std::vector<NewBelief>>& found) {
  if (!options_.tight) return;
  const int num_actions = model_.facts().num_actions;
  if (num_actions > options_.widen_above) return;
  std::vector<Supports::Want> wanted;
  for (const auto& list : found)
    for (const NewBelief& b : list)
      if (wanted.empty() || wanted.back().support != b.node.support)
        for (int a = 0; a < num_actions; ++a) wanted.push_back({b.node.support, a});
  supports_.make(std::move(wanted), pool_);
  pool_.for_chunks(found.size(), 1, [&](size_t i, size_t, size_t) {
    for (NewBelief& b : found[i]) {
      float best = -HUGE_VALF;
      for (int a = 0; a < num_actions; ++a) best = std::max(best, qmdp(b.node, a));
      b.node.upper = b.node.qmdp = std::max(best, b.node.lower);
    }
  });
}

float SearchGraph::qmdp(const Node& node, int action) const {
  const Transit& t = supports_.transit(node.support, action);
  const RowView row = node.row();
  const float reward = dot(row, t.reward.data());
  if (t.to < 0) return reward;
  const float* mdp = supports_[t.to].mdp.data();
  float future = 0;
  if (t.stays)
    future = dot(row, mdp);
  else
    for (size_t i = 0; i < row.count; ++i)
      for (uint32_t e = t.row[row.place(i)]; e < t.row[row.place(i) + 1]; ++e)
        future += row.weight[i] * t.share[e] * mdp[t.next[e]];
  return reward + static_cast<float>(discount_) * future;
}

int SearchGraph::add(Node node, bool full) {
  if (full) {
    node.support = -1;
    node.weights = {};
    node.places = {};
  }
  bytes_ +=
      static_cast<double>(sizeof(Node) + 4 * node.weights.size() + 4 * node.places.size() + 150);
  nodes_.push_back(std::move(node));
  if (!full) enter(size() - 1);
  return size() - 1;
}

void SearchGraph::enter(int number) {
  const Node& node = nodes_[number];
  if (static_cast<size_t>(node.support) >= of_support_.size())
    of_support_.resize(supports_.count());
  of_support_[node.support].emplace(node.qmdp, number);
  of_mode_[mode(node)].emplace(node.qmdp, number);
}

void SearchGraph::restore() {
  of_support_.clear();
  of_mode_.clear();
  bytes_ = 0;
  for (int n = 0; n < size(); ++n) {
    Node& node = nodes_[n];
    bytes_ += static_cast<double>(sizeof(Node) + 4 * node.weights.size() + 4 * node.places.size() +
                                  150 + node.choices.size() * sizeof(Choice));
    if (node.support < 0) continue;
    const size_t states = node.support < supports_.count() ? supports_[node.support].count() : 0;
    if (node.weights.size() != (node.places.empty() ? states : node.places.size()) ||
        std::any_of(node.places.begin(), node.places.end(),
                    [&](uint32_t p) { return p >= states; }))
      throw Error("saved state: a belief does not fit its states");
    for (const Choice& c : node.choices)
      for (const Edge& e : c.edges)
        if (e.child < 0 || e.child >= size()) throw Error("saved state: an edge leads nowhere");
    enter(n);
  }
}

void SearchGraph::backup(int number, int index) {
  Choice& c = nodes_[number].choices[index];
  if (!c.tried) return;
  double lower = 0, upper = 0;
  for (const Edge& e : c.edges) {
    lower += double(e.probability) * nodes_[e.child].lower;
    upper += double(e.probability) * nodes_[e.child].upper;
  }
  c.lower = static_cast<float>(c.reward + discount_ * lower);
  c.upper = static_cast<float>(c.reward + discount_ * upper);
}

void SearchGraph::backup(int number) {
  Node& node = nodes_[number];
  if (node.choices.empty()) return;
  float lower = node.blind_value, upper = node.blind_value;
  for (const Choice& c : node.choices) {
    lower = std::max(lower, c.lower);
    upper = std::max(upper, c.upper);
  }
  if (options_.borrow) {
    if (lower > node.lower + worth_it_) improve(node);
    lower = node.lower;
  }
  node.lower = lower;
  node.upper = std::min(upper, std::max(node.qmdp, lower));
}

// Adds the plan of the best choice. Merged beliefs promise more than a plan keeps, so that it is
// asked what it is worth.
void SearchGraph::improve(Node& node) {
  if (node.support < 0) return;
  const auto best =
      std::max_element(node.choices.begin(), node.choices.end(),
                       [](const Choice& a, const Choice& b) { return a.lower < b.lower; });
  supports_.make({{node.support, best->action}}, pool_);  // it may have been forgotten
  ConditionalPlan plan = plans_.make(node, *best, nodes_);
  const float worth = plans_.value(plan, node);
  best->lower = std::min(best->lower, worth);
  if (worth <= node.lower + worth_it_) return;
  node.plan = plans_.add(std::move(plan));
  node.lower = worth;
}

void SearchGraph::recall(const Node& node) {
  std::vector<Supports::Want> wanted;
  for (const Choice& c : node.choices) wanted.push_back({node.support, c.action});
  supports_.make(std::move(wanted), pool_);
}

void SearchGraph::refresh(std::vector<int> nodes) {
  auto unique = [](std::vector<int>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  unique(nodes);
  std::vector<Supports::Want> wanted;
  std::vector<int> all = nodes;
  for (int n : nodes)
    for (const Choice& c : nodes_[n].choices) {
      for (const Edge& e : c.edges) all.push_back(e.child);
      if (options_.borrow && !c.tried && !supports_.closed())
        wanted.push_back({nodes_[n].support, c.action});
    }
  if (options_.borrow) {
    unique(all);
    supports_.make(std::move(wanted), pool_);
    pool_.for_chunks(all.size(), 16, [&](size_t, size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        Node& node = nodes_[all[i]];
        plans_.borrow(node.support, node.row(), node.known, node.plan, node.lower);
      }
    });
    pool_.for_chunks(nodes.size(), 4, [&](size_t, size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) look_ahead(nodes_[nodes[i]]);
    });
  }
  for (int n : nodes)
    for (size_t c = 0; c < nodes_[n].choices.size(); ++c) backup(n, static_cast<int>(c));
}

// Untried actions: doing them once may lead to where another plan is known by now.
void SearchGraph::look_ahead(Node& node) const {
  if (supports_.closed()) return;
  for (Choice& c : node.choices) {
    if (c.tried || node.support < 0) continue;
    const Transit& t = supports_.transit(node.support, c.action);
    if (t.stays || !plans_.news(t.to, c.known)) continue;
    const Row p = carried(node, t);
    const auto g = static_cast<float>(discount_);
    float best = (c.lower - c.reward) / g;
    plans_.borrow(t.to, p.view(), c.known, c.plan, best);
    c.lower = std::max(c.lower, c.reward + g * best);
    c.upper = std::max(c.upper, c.lower);
  }
}

void SearchGraph::sweep() {
  if (options_.borrow) return plans_.prune(nodes_);
  constexpr int kMost = 100;
  const double enough =
      1e-4 * (1 - discount_) * (model_.facts().max_reward - model_.facts().min_reward);
  for (int round = 0; round < kMost; ++round) {
    double change = 0;
    for (int n = size(); n-- > 0;) {
      Node& node = nodes_[n];
      const float before = node.lower;
      for (size_t c = 0; c < node.choices.size(); ++c) backup(n, static_cast<int>(c));
      backup(n);
      change = std::max(change, std::abs(double(node.lower) - before));
    }
    if (change <= enough) return;
  }
}

Fsc SearchGraph::controller(Reading reading) const {
  Fsc fsc;
  fsc.num_observations = model_.facts().num_observations;
  for (int k = 0; k < blind_.size(); ++k) fsc.add_node(blind_.action(k));
  std::vector<int> number(size(), -1), plan_number(plans_.count(), -1), open;
  const float slack = 1e-3f + worth_it_;
  // Of a node that follows a choice: that choice. Others follow their plan.
  auto best_choice = [&](const Node& node) -> const Choice* {
    const Choice* best = nullptr;
    for (const Choice& c : node.choices)
      if (!best || c.lower > best->lower) best = &c;
    const bool follows = best && reading == Reading::kGraph && best->lower > node.lower - slack;
    return follows ? best : nullptr;
  };
  auto number_of = [&](int n) {
    if (number[n] >= 0) return number[n];
    const Choice* c = best_choice(nodes_[n]);
    if (!c) return number[n] = plans_.append(fsc, plan_number, nodes_[n].plan);
    open.push_back(n);
    return number[n] = fsc.add_node(c->action);
  };
  fsc.start = number_of(0);
  for (size_t i = 0; i < open.size(); ++i) {
    const int node = number[open[i]];
    const Choice& c = *best_choice(nodes_[open[i]]);
    // An observation that never came is taken for the most likely one.
    const auto likely = std::max_element(
        c.edges.begin(), c.edges.end(),
        [](const Edge& a, const Edge& b) { return a.probability < b.probability; });
    const int fallback = likely != c.edges.end() ? number_of(likely->child)
                                                 : plans_.append(fsc, plan_number, c.plan);
    for (int o = 0; o < fsc.num_observations; ++o) fsc.set_edge(node, o, fallback);
    for (const Edge& e : c.edges) fsc.set_edge(node, e.seen, number_of(e.child));
  }
  return reachable(fsc);
}

}  // namespace penumbra::pomcgs
