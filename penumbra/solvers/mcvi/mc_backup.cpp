#include "penumbra/solvers/mcvi/mc_backup.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "penumbra/solvers/archive_parts.h"

namespace penumbra::mcvi {
namespace {

constexpr size_t kGrain = 256;  // particles that one thread takes at a time
constexpr double kTail = 0.01;  // of the discount, where rollouts end

int best_of(std::span<const double> values) {
  return static_cast<int>(std::max_element(values.begin(), values.end()) - values.begin());
}

int rollout_depth(const Facts& facts, const PaperOptions& options) {
  if (options.rollout_depth > 0) return options.rollout_depth;
  return std::max(1, static_cast<int>(std::log(kTail) / std::log(std::max(facts.discount, 1e-9))));
}

// What one thread finds for one action on some particles.
struct Part {
  double reward = 0;
  std::vector<double> sums;    // V_{a,o,n}: [observation][node]
  std::vector<char> produced;  // observations
  uint64_t steps = 0;
};

}  // namespace

void PaperOptions::list(OptionList& list) {
  list_loop(list);
  list.add("rollouts", num_rollouts, 1, 1'000'000, "nb_rollout: simulations per state and node");
  list.add("rollout-depth", rollout_depth, 0, 1'000'000, "d: of a simulation; 0: by the discount");
}

McBackup::McBackup(const Pomdp& model, const PaperOptions& options, ThreadPool& pool, Work& work)
    : model_(model),
      options_(options),
      depth_(rollout_depth(model.facts(), options)),
      pool_(pool),
      work_(work) {
  fsc_.num_observations = model.facts().num_observations;
}

double McBackup::printed_cost() const {
  return double(model_.facts().num_actions) * options_.num_particles * fsc_.num_nodes() *
         options_.num_rollouts * depth_;
}

bool McBackup::add_returns(ConstRecords states, std::span<const uint64_t> ids, RngKey key,
                           std::span<double> sums, uint64_t& steps,
                           const std::function<bool()>& stop) const {
  Rollouts rollouts(model_, depth_);
  std::vector<float> returns(states.count);
  for (int node = 0; node < static_cast<int>(sums.size()); ++node) {
    if (stop && stop()) return false;
    const std::vector<int> nodes(states.count, node);
    for (int r = 0; r < options_.num_rollouts; ++r) {
      rollouts.run(fsc_, states, nodes, ids, key.fold(r), returns);
      sums[node] += std::accumulate(returns.begin(), returns.end(), 0.0) / options_.num_rollouts;
    }
  }
  steps += rollouts.steps();
  return true;
}

bool McBackup::run(const Particles& belief, RngKey key, const std::function<bool()>& stop) {
  const Facts& facts = model_.facts();
  const int actions = facts.num_actions, observations = facts.num_observations;
  const int nodes = fsc_.num_nodes();
  const Particles draws = resample(belief, options_.num_particles, key.fold("draws"));
  const size_t parts = (draws.count() + kGrain - 1) / kGrain;
  std::vector<Part> found(actions * parts);
  std::atomic<bool> stopped{false};
  {
    PhaseTimer timer(work_, Phase::kSimulate);
    pool_.for_chunks(found.size(), 1, [&](size_t, size_t number, size_t) {
      if (stopped) return;
      const int action = static_cast<int>(number / parts);
      const size_t begin = number % parts * kGrain;
      const size_t n = std::min(kGrain, draws.count() - begin);
      Part& part = found[number];
      part.sums.assign(size_t(observations) * nodes, 0.0);
      part.produced.assign(observations, 0);
      StepBuffers buffers(model_, n);
      const StepResults out = buffers.results(n);
      model_.step(draws.states.sub(begin, n), std::vector<int>(n, action),
                  {key.fold("step"), begin}, out);
      part.steps += n;
      for (float reward : out.reward) part.reward += reward;
      // By observation, so that a node's returns are summed in one go.
      for (int o = 0; o < observations && !stopped; ++o) {
        RecordBuffer next(model_.state_size());
        std::vector<uint64_t> ids;
        for (size_t i = 0; i < n; ++i) {
          if (out.ended[i] || index_of(out.seen, i) != o) continue;
          next.push_back(out.next.at(i));
          ids.push_back(begin + i);
        }
        if (next.empty()) continue;
        part.produced[o] = 1;
        const std::span<double> sums(part.sums.data() + size_t(o) * nodes, nodes);
        if (!add_returns(next, ids, key.fold("rollout"), sums, part.steps, stop)) stopped = true;
      }
    });
  }
  if (stopped) return false;

  int best_action = 0;
  double best_value = -HUGE_VAL;
  std::vector<int> best_edges;
  for (int a = 0; a < actions; ++a) {
    Part all = found[a * parts];
    for (size_t p = 1; p < parts; ++p) {
      const Part& part = found[a * parts + p];
      all.reward += part.reward;
      all.steps += part.steps;
      for (size_t i = 0; i < all.sums.size(); ++i) all.sums[i] += part.sums[i];
      for (int o = 0; o < observations; ++o) all.produced[o] |= part.produced[o];
    }
    work_.simulator_steps += static_cast<double>(all.steps);
    double future = 0;
    // With an empty graph every edge leads to the node that is about to be made.
    std::vector<int> edges(observations, 0);
    if (nodes > 0) {
      std::vector<double> merged(nodes, 0.0);
      for (int o = 0; o < observations; ++o)
        for (int n = 0; n < nodes; ++n) merged[n] += all.sums[size_t(o) * nodes + n];
      for (int o = 0; o < observations; ++o) {
        const std::span<const double> values(all.sums.data() + size_t(o) * nodes, nodes);
        edges[o] = best_of(all.produced[o] ? values : std::span<const double>(merged));
        if (all.produced[o]) future += values[edges[o]];
      }
    }
    const double value =
        (all.reward + facts.discount * future) / static_cast<double>(draws.count());
    if (value <= best_value) continue;
    best_value = value;
    best_action = a;
    best_edges = std::move(edges);
  }
  if (fsc_.find(best_action, best_edges) >= 0) return true;  // NodeIsUnique
  const int node = fsc_.add_node(best_action);
  for (int o = 0; o < observations; ++o) fsc_.set_edge(node, o, best_edges[o]);
  return true;
}

// After each heat the best quarter of the nodes goes on with four times as many particles.
value_iteration::BestNode McBackup::best(const Particles& belief, int first, RngKey key) const {
  constexpr size_t kFirstHeat = 8;
  const size_t most = belief.count();
  const Particles draws = resample(belief, most, key.fold("draws"));
  std::vector<int> node(fsc_.num_nodes() - first);
  std::iota(node.begin(), node.end(), first);
  std::vector<double> sum(node.size(), 0.0);
  Rollouts rollouts(model_, depth_);
  size_t done = 0;
  for (size_t heat = kFirstHeat; done < most; heat *= 4) {
    const size_t end = node.size() == 1 ? most : std::min(most, done + heat), n = end - done;
    std::vector<uint64_t> ids(n);
    std::iota(ids.begin(), ids.end(), done);
    std::vector<float> returns(n);
    for (size_t i = 0; i < node.size(); ++i) {
      rollouts.run(fsc_, draws.states.sub(done, n), std::vector<int>(n, node[i]), ids,
                   key.fold("race"), returns);
      sum[i] += std::accumulate(returns.begin(), returns.end(), 0.0);
    }
    done = end;
    std::vector<int> order(node.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return sum[a] > sum[b]; });
    order.resize(std::max<size_t>(1, order.size() / 4));
    std::vector<int> kept;
    std::vector<double> sums;
    for (int i : order) {
      kept.push_back(node[i]);
      sums.push_back(sum[i]);
    }
    node = std::move(kept);
    sum = std::move(sums);
  }
  work_.simulator_steps += static_cast<double>(rollouts.steps());
  return {sum[0] / static_cast<double>(most), node[0]};
}

std::vector<double> McBackup::all_values(const Particles& belief, RngKey key,
                                         const std::function<bool()>& stop) {
  PhaseTimer timer(work_, Phase::kPredict);
  const Particles draws = resample(belief, options_.bound_particles, key.fold("draws"));
  std::vector<uint64_t> ids(draws.count());
  std::iota(ids.begin(), ids.end(), uint64_t{0});
  std::vector<float> returns(draws.count());
  Rollouts rollouts(model_, depth_);
  while (static_cast<int>(root_values_.size()) < fsc_.num_nodes()) {
    if (!root_values_.empty() && stop && stop()) break;
    const int node = static_cast<int>(root_values_.size());
    rollouts.run(fsc_, draws.states, std::vector<int>(draws.count(), node), ids, key.fold("value"),
                 returns);
    root_values_.push_back(std::accumulate(returns.begin(), returns.end(), 0.0) /
                           static_cast<double>(returns.size()));
  }
  work_.simulator_steps += static_cast<double>(rollouts.steps());
  return root_values_;
}

template <class Archive>
void McBackup::archive_all(Archive& a) {
  a(fsc_, root_values_);
}

}  // namespace penumbra::mcvi
