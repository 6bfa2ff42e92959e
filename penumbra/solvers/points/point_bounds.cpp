#include "penumbra/solvers/points/point_bounds.h"

#include <algorithm>
#include <cmath>

namespace penumbra::points {
namespace {

std::vector<std::vector<double>> corners_of(const MixedModel& m, const PartActionValues& q) {
  std::vector<std::vector<double>> corners(m.num_parts());
  for (int p = 0; p < m.num_parts(); ++p) {
    corners[p] = q[p][0];
    for (int a = 1; a < m.num_actions(); ++a)
      for (int y = 0; y < m.size(p); ++y) corners[p][y] = std::max(corners[p][y], q[p][a][y]);
  }
  return corners;
}

// Leaves out what another action dominates everywhere: most checks are worth the same.
std::vector<const double*> undominated(const std::vector<std::vector<double>>& q) {
  std::vector<const double*> kept;
  for (size_t a = 0; a < q.size(); ++a) {
    bool dominated = false;
    for (size_t b = 0; b < q.size() && !dominated; ++b) {
      bool below = b != a, equal = true;
      for (size_t y = 0; y < q[a].size() && below; ++y) {
        below = q[a][y] <= q[b][y];
        equal = equal && q[a][y] == q[b][y];
      }
      dominated = below && (!equal || b < a);
    }
    if (!dominated) kept.push_back(q[a].data());
  }
  return kept;
}

}  // namespace

PointBounds::PointBounds(const MixedModel& model, ThreadPool& pool)
    : model_(model),
      pool_(pool),
      informed_(fast_informed_bound(model)),
      graph_(model),
      vectors_(model),
      sawtooth_(model, corners_of(model, informed_)),
      ahead_(model.largest_part()) {
  readers_.emplace_back(model);
  const double range = model.max_reward() - model.min_reward();
  tolerance_ = 1e-10 * std::max({range, std::abs(model.max_reward()), 1e-9});
  for (const auto& q : informed_) informed_top_.push_back(undominated(q));
  PartActionValues blind = blind_bound(model);
  for (int p = 0; p < model.num_parts(); ++p)
    for (int a = 0; a < model.num_actions(); ++a) vectors_.add({p, a, true, blind[p][a], {}});
  num_blind_ = vectors_.total();
  value_fresh(kRoot, graph_.belief(kRoot));
}

void PointBounds::value_fresh(int n, HiddenView belief) {
  Node& node = graph_.node(n);
  node.corner = sawtooth_.corner_value(node.part, belief);
  node.upper = -HUGE_VAL;
  for (const double* q : informed_top_[node.part])
    node.upper = std::max(node.upper, dot(q, belief));
  node.shared = node.upper;
  node.lower = -HUGE_VAL;
}

double PointBounds::lower(int n) {
  if (is_behind(n)) compare(n, graph_.belief(n));
  return graph_.node(n).lower;
}

void PointBounds::compare(int n, HiddenView belief) {
  Node& node = graph_.node(n);
  VectorSet::Best best{node.lower, node.best};
  vectors_.improve(node.part, belief, node.vectors_seen, best);
  node.lower = best.value;
  node.best = best.id;
  node.vectors_seen = vectors_.newest(node.part);
}

void PointBounds::look_ahead(std::span<const int> nodes) {
  std::vector<std::pair<int, int>> asked, missing;
  for (int n : nodes) {
    open(n);
    behind_.push_back(n);
    for (int a : worth_a_look(n, graph_.node(n).lower)) {
      asked.push_back({n, a});
      if (graph_.actions(n)[a].num_children < 0) missing.push_back({n, a});
    }
  }
  expand(missing);
  for (const auto& [n, a] : asked)
    for (const Child& child : graph_.children(graph_.actions(n)[a])) behind_.push_back(child.node);
  catch_up();
}

void PointBounds::expand(std::span<const std::pair<int, int>> pairs) {
  // Few waits for other threads where beliefs are short, little memory where they are long.
  constexpr size_t kNumbers = 1 << 18;
  const size_t chunks = num_chunks();
  const size_t batch = std::clamp<size_t>(kNumbers / model_.largest_part(), chunks, 1024);
  if (expansions_.size() < std::min(batch, pairs.size()))
    expansions_.resize(std::min(batch, pairs.size()));
  for (; !pairs.empty(); pairs = pairs.subspan(std::min(batch, pairs.size()))) {
    const size_t n = std::min(batch, pairs.size()), grain = (n + chunks - 1) / chunks;
    pool_.for_chunks(n, grain, [&](size_t chunk, size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i)
        graph_.prepare(pairs[i].first, pairs[i].second, readers_[chunk], expansions_[i]);
    });
    for (size_t i = 0; i < n; ++i) graph_.insert(expansions_[i]);
    pool_.for_chunks(n, grain, [&](size_t, size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i)
        for (const Expansion::Fresh& fresh : expansions_[i].fresh) {
          const HiddenView belief = expansions_[i].successors[fresh.successor].belief.view();
          value_fresh(fresh.node, belief);
          compare(fresh.node, belief);
        }
    });
  }
}

// Every node is by itself, so the split may follow the number of threads.
size_t PointBounds::num_chunks() {
  const size_t chunks = 4 * static_cast<size_t>(pool_.num_threads());
  while (readers_.size() < chunks) readers_.emplace_back(model_);
  return chunks;
}

void PointBounds::catch_up() {
  std::erase_if(behind_, [this](int n) { return !is_behind(n); });
  std::sort(behind_.begin(), behind_.end());
  behind_.erase(std::unique(behind_.begin(), behind_.end()), behind_.end());
  const size_t grain = (behind_.size() + num_chunks() - 1) / num_chunks();
  pool_.for_chunks(behind_.size(), grain, [&](size_t chunk, size_t begin, size_t end) {
    BeliefReader& reader = readers_[chunk];
    for (size_t i = begin; i < end; ++i) compare(behind_[i], graph_.belief(behind_[i], reader));
  });
  behind_.clear();
}

double PointBounds::upper(int n) {
  Node& node = graph_.node(n);
  if (node.points_seen != sawtooth_.newest(node.part)) {
    const double before = std::min(0.0, node.upper - node.corner);
    const double drop = sawtooth_.improve(node.part, graph_.belief(n), node.points_seen, before);
    if (drop < before) node.upper = node.shared = node.corner + drop;
    node.points_seen = sawtooth_.newest(node.part);
  }
  return node.upper;
}

void PointBounds::open(int n) {
  if (graph_.is_open(n)) return;
  graph_.open(n);
  const Node& node = graph_.node(n);
  const auto actions = graph_.actions(n);
  for (int a = 0; a < model_.num_actions(); ++a)
    actions[a].upper = dot(informed_[node.part][a].data(), node.stored);
}

std::span<const Child> PointBounds::children(int n, int action) {
  open(n);
  if (graph_.actions(n)[action].num_children < 0) {
    Expansion& expansion = expansions_.front();
    graph_.prepare(n, action, readers_.front(), expansion);
    graph_.insert(expansion);
    for (const Expansion::Fresh& fresh : expansion.fresh)
      value_fresh(fresh.node, expansion.successors[fresh.successor].belief.view());
  }
  return graph_.children(graph_.actions(n)[action]);
}

double PointBounds::action_upper(int n, int action) {
  double sum = 0;
  for (const Child& child : children(n, action)) sum += child.chance * upper(child.node);
  ActionEntry& entry = graph_.actions(n)[action];
  entry.upper = std::min(entry.upper, entry.reward + model_.discount() * sum);
  return entry.upper;
}

double PointBounds::action_lower(int n, int action) {
  double sum = 0;
  for (const Child& child : children(n, action)) sum += child.chance * lower(child.node);
  ActionEntry& entry = graph_.actions(n)[action];
  entry.lower = entry.reward + model_.discount() * sum;
  return entry.lower;
}

int PointBounds::best_upper_action(int n) {
  open(n);
  upper(n);
  int checked = -1;
  while (true) {
    const auto actions = graph_.actions(n);
    int top = checked < 0 ? 0 : checked;  // at a tie the one that was backed up
    for (int a = 0; a < model_.num_actions(); ++a)
      if (actions[a].upper > actions[top].upper) top = a;
    if (top == checked) break;
    action_upper(n, top);
    checked = top;
  }
  Node& node = graph_.node(n);
  const double value = graph_.actions(n)[checked].upper;
  node.upper = std::min(node.upper, value);
  return checked;
}

bool PointBounds::back_up_upper(int n) {
  best_upper_action(n);
  Node& node = graph_.node(n);
  if (node.upper >= node.shared - tolerance_) return false;
  node.shared = node.upper;
  if (const double drop = node.upper - node.corner; drop < 0)
    node.point = sawtooth_.set(node.part, node.stored, drop, node.point);
  return true;
}

std::vector<int> PointBounds::worth_a_look(int n, double floor) {
  const auto actions = graph_.actions(n);
  std::vector<int> order;
  for (int a = 0; a < model_.num_actions(); ++a)
    if (actions[a].upper > floor) order.push_back(a);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return actions[a].upper > actions[b].upper; });
  return order;
}

bool PointBounds::back_up_lower(int n, double least_rise) {
  ++num_backups_;
  open(n);
  const double before = lower(n);
  double best = before + std::max(tolerance_, least_rise * (graph_.node(n).upper - before));
  int best_action = -1;
  for (int a : worth_a_look(n, best)) {
    if (graph_.actions(n)[a].upper <= best) continue;  // it has risen meanwhile
    if (const double value = action_lower(n, a); value > best) {
      best = value;
      best_action = a;
    }
  }
  if (best_action < 0) return false;
  add_vector(n, best_action);
  return true;
}

void PointBounds::add_vector(int n, int action) {
  const int part = graph_.node(n).part, size = model_.size(part);
  const double* reward = model_.reward(part, action);
  VectorSet::Vector vector{part, action, true, {reward, reward + size}, {}};
  const auto branches = model_.branches(part, action);
  const auto children = graph_.children(graph_.actions(n)[action]);
  size_t c = 0;
  for (size_t b = 0; b < branches.size(); ++b) {
    const MixedModel::Branch& branch = branches[b];
    const MixedModel::Sights& sights = model_.sights(branch.part, action);
    const size_t outcomes = sights.seen.size(), next_size = model_.size(branch.part);
    const size_t first = vector.next.size();
    vector.next.resize(first + outcomes, -1);
    double largest = -1;
    int spare = branch.part * model_.num_actions();  // for what cannot be seen from this belief
    for (; c < children.size() && children[c].branch == static_cast<int>(b); ++c) {
      lower(children[c].node);
      const int id = graph_.node(children[c].node).best;
      vector.next[first + children[c].outcome] = id;
      if (children[c].chance > largest) largest = children[c].chance, spare = id;
    }
    for (size_t o = 0; o < outcomes; ++o)
      if (vector.next[first + o] < 0) vector.next[first + o] = spare;
    const double* ahead = ahead_.data();
    if (sights.certain) {
      ahead = vectors_[vector.next[first]].value.data();
    } else if (!sights.table.empty()) {
      std::fill_n(ahead_.begin(), next_size, 0.0);
      for (size_t o = 0; o < outcomes; ++o) {
        const double* value = vectors_[vector.next[first + o]].value.data();
        const double* chance = &sights.table[o * next_size];
        for (size_t y = 0; y < next_size; ++y) ahead_[y] += chance[y] * value[y];
      }
    } else {
      for (size_t y = 0; y < next_size; ++y) {
        double sum = 0;
        for (int e = sights.start[y]; e < sights.start[y + 1]; ++e)
          sum += sights.chance[e] * vectors_[vector.next[first + sights.outcome[e]]].value[y];
        ahead_[y] = sum;
      }
    }
    model_.pull(branch, size, ahead, model_.discount(), vector.value.data());
  }
  vectors_.add(std::move(vector));
  lower(n);
}

void PointBounds::prune_vectors() {
  for (int n = 0; n < graph_.num_nodes(); ++n)
    if (graph_.is_open(n)) behind_.push_back(n);
  catch_up();
  std::vector<char> listed(vectors_.total(), 0), used = listed, met(graph_.num_nodes(), 0);
  std::fill_n(listed.begin(), num_blind_, 1);
  std::vector<int> pending{kRoot};
  met[kRoot] = 1;
  while (!pending.empty()) {
    const int n = pending.back();
    pending.pop_back();
    if (!graph_.is_open(n)) continue;
    const double floor = lower(n);
    listed[graph_.node(n).best] = 1;
    for (const ActionEntry& entry : graph_.actions(n)) {
      if (entry.num_children < 0 || entry.upper < floor) continue;  // no plan wants it
      for (const Child& child : graph_.children(entry))
        if (!met[child.node]) {
          met[child.node] = 1;
          pending.push_back(child.node);
        }
    }
  }
  for (int n = 0; n < graph_.num_nodes(); ++n)
    if (const int best = graph_.node(n).best; best >= 0) used[best] = 1;
  vectors_.retire(listed, used);
}

}  // namespace penumbra::points
