#include "penumbra/solvers/habits/habit_controller.h"

#include <algorithm>
#include <numeric>

namespace penumbra::habits {
namespace {

// One that keeps coming up is found by cancelling each against another.
struct Majority {
  uint64_t value = 0;
  int64_t lead = 0;

  void add(uint64_t vote, int64_t weight = 1) {
    if (lead == 0) value = vote;
    lead += value == vote ? weight : -weight;
    if (lead < 0) {
      value = vote;
      lead = -lead;
    }
  }
};

struct Node {
  Situation now;
  int action = 0;
  uint64_t visits = 0;
  Majority leads_to;  // the place
};

uint64_t pair_of(uint64_t a, uint64_t b) {
  return RngKey{a}.fold(b).value;
}

class Recorder {
 public:
  explicit Recorder(const Facts& facts) : facts_(facts) {}

  // An episode: situations and what was done in each.
  void add(std::span<const std::pair<Situation, int>> path) {
    int before = -1;
    for (const auto& [now, action] : path) {
      const auto [at, fresh] = number_.try_emplace(now.whole, static_cast<int>(nodes_.size()));
      if (fresh) nodes_.push_back({now, action, 0, {}});
      const int node = at->second;
      ++nodes_[node].visits;
      if (before >= 0) {
        edges_[edge(before, now.seen)].add(static_cast<uint64_t>(node));
        nodes_[before].leads_to.add(now.place);
      }
      before = node;
    }
  }

  Fsc controller(size_t most_nodes) {
    if (nodes_.empty()) nodes_.push_back({});  // episodes are over before they begin
    std::vector<int> order(nodes_.size());
    std::iota(order.begin(), order.end(), 0);
    // Every episode begins at the first node.
    std::stable_sort(order.begin() + 1, order.end(),
                     [&](int a, int b) { return nodes_[a].visits > nodes_[b].visits; });
    if (order.size() > most_nodes) order.resize(most_nodes);
    std::vector<int> place_in(nodes_.size(), -1);
    for (size_t i = 0; i < order.size(); ++i) place_in[order[i]] = static_cast<int>(i);
    for (size_t i = order.size(); i-- > 0;) remember(order[i], static_cast<int>(i));

    Fsc fsc;
    fsc.num_observations = facts_.num_observations;
    for (int old : order) fsc.add_node(nodes_[old].action);
    for (size_t i = 0; i < order.size(); ++i)
      for (int seen = 0; seen < facts_.num_observations; ++seen) {
        const auto found = edges_.find(edge(order[i], seen));
        int target = found == edges_.end() ? -1 : place_in[found->second.value];
        if (target < 0) target = stand_in(nodes_[order[i]], seen);
        fsc.set_edge(static_cast<int>(i), seen, target < 0 ? static_cast<int>(i) : target);
      }
    return fsc;
  }

 private:
  uint64_t edge(int node, int seen) const {
    return static_cast<uint64_t>(node) * facts_.num_observations + seen;
  }

  // The most visited node of each description comes last, and stays.
  void remember(int old, int number) {
    const Situation& now = nodes_[old].now;
    by_all_[pair_of(pair_of(now.place, now.action), now.seen)] = number;
    by_move_[pair_of(now.place, now.action)] = number;
    by_place_[now.place] = number;
  }

  // For what never followed: where the node usually leads, and of the nodes there one that came
  // about alike.
  int stand_in(const Node& from, int seen) const {
    if (from.leads_to.lead == 0) return -1;
    const uint64_t place = from.leads_to.value, move = pair_of(place, from.action);
    for (const auto& [map, key] :
         {std::pair{&by_all_, pair_of(move, seen)}, {&by_move_, move}, {&by_place_, place}})
      if (const auto found = map->find(key); found != map->end()) return found->second;
    return -1;
  }

  using Numbers = std::unordered_map<uint64_t, int>;
  const Facts& facts_;
  std::vector<Node> nodes_;
  Numbers number_;
  std::unordered_map<uint64_t, Majority> edges_;
  Numbers by_all_, by_move_, by_place_;
};

}  // namespace

Fsc make_controller(const Pomdp& model, const Habits& habits, const HabitOptions& options,
                    size_t batches, size_t most_nodes, RngKey key, ThreadPool& pool) {
  constexpr size_t kAtOnce = 16;  // batches whose episodes are held in memory
  Recorder recorder(model.facts());
  using Path = std::vector<std::pair<Situation, int>>;
  for (size_t begin = 0; begin < batches; begin += kAtOnce) {
    const size_t n = std::min(kAtOnce, batches - begin);
    std::vector<std::vector<Path>> paths(n, std::vector<Path>(kEpisodesPerBatch));
    pool.for_chunks(n, 1, [&](size_t b, size_t, size_t) {
      const RngKey own = key.fold(begin + b);
      play(
          model, habits.form(), {own, 0, kEpisodesPerBatch, options.depth},
          [&](size_t lane, const Situation& now) {
            const int action = std::max(0, habits.best_action(now));
            paths[b][lane].emplace_back(now, action);
            return action;
          },
          [](size_t, float, bool) {});
    });
    for (const auto& batch : paths)
      for (const Path& path : batch) recorder.add(path);
  }
  return recorder.controller(most_nodes);
}

}  // namespace penumbra::habits
