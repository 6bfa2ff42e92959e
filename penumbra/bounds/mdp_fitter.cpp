#include "penumbra/bounds/mdp_fitter.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "penumbra/base/error.h"
#include "penumbra/nn/fit.h"

namespace penumbra {
namespace {

constexpr int kPilotStates = 8192;
constexpr int kRandomOutcomes = 8;         // draws of an action whose result is random
constexpr size_t kSearchStates = 1 << 14;  // of one graph
constexpr int kBatch = 512;

std::vector<int> filled(size_t count, int value) {
  return std::vector<int>(count, value);
}

}  // namespace

void MdpFitter::Rows::append(const Rows& more) {
  if (states.record_size() == 0) states = RecordBuffer(more.states.record_size());
  states.append(more.states.view());
  targets.insert(targets.end(), more.targets.begin(), more.targets.end());
}

MdpFitter::MdpFitter(const Pomdp& model, const MdpValueOptions& options, RngKey key,
                     ThreadPool& pool)
    : model_(model), options_(options), key_(key), pool_(pool) {
  const Facts& facts = model.facts();
  horizon_ =
      facts.discount > 0
          ? std::clamp(static_cast<int>(std::log(0.01) / std::log(facts.discount)) + 1, 1, 500)
          : 1;
  tolerance_ = 1e-5 * std::max({std::abs(facts.min_reward), std::abs(facts.max_reward), 1e-3});
  search_.max_depth = horizon_;
  study_actions();
}

// States of b0 after a walk of random length that keeps each action for a while. A step that would
// end the episode is not taken.
RecordBuffer MdpFitter::walk_states(int count, RngKey key) const {
  RecordBuffer states(model_.state_size(), count);
  const double discount = model_.facts().discount;
  const auto num_actions = static_cast<uint32_t>(model_.facts().num_actions);
  pool_.for_chunks(count, 256, [&](size_t, size_t begin, size_t end) {
    const size_t n = end - begin;
    const Records mine = states.sub(begin, n);
    model_.sample_initial({key.fold("b0"), begin}, mine);
    StepBuffers buffers(model_, n);
    const StepResults out = buffers.results(n);
    std::vector<Rng> rng;
    std::vector<int> action(n), left(n);
    for (size_t i = 0; i < n; ++i) {
      rng.emplace_back(key.fold("walk"), begin + i);
      left[i] = static_cast<int>(std::log(1 - rng[i].uniform()) / std::log(discount));
      left[i] = std::min(left[i], horizon_);
      action[i] = static_cast<int>(rng[i].below(num_actions));
    }
    const int most = *std::max_element(left.begin(), left.end());
    for (int t = 0; t < most; ++t) {
      model_.step(mine, action, {key.fold("step").fold(t), begin}, out);
      for (size_t i = 0; i < n; ++i) {
        if (left[i]-- <= 0) continue;
        const bool stuck = out.ended[i] || std::memcmp(mine.at(i), out.next.at(i), mine.size) == 0;
        if (!out.ended[i]) std::memcpy(mine.at(i), out.next.at(i), mine.size);
        if (stuck || rng[i].bernoulli(0.2)) action[i] = static_cast<int>(rng[i].below(num_actions));
      }
    }
  });
  return states;
}

// Random moves need several outcomes. Actions that always lead where an earlier one leads, for no
// more reward, are dropped: sensing actions, above all.
void MdpFitter::study_actions() {
  const RecordBuffer states = walk_states(kPilotStates, key_.fold("pilot"));
  const int num_actions = model_.facts().num_actions;
  std::vector<StepBuffers> kept;
  bool random = false;
  for (int a = 0; a < num_actions; ++a) {
    StepBuffers once(model_, kPilotStates), again(model_, kPilotStates);
    const std::vector<int> action = filled(kPilotStates, a);
    const RngKey key = key_.fold("pilot step").fold(a);
    model_.step(states, action, {key.fold(0)}, once.results(kPilotStates));
    model_.step(states, action, {key.fold(1)}, again.results(kPilotStates));
    const bool varies = once.next != again.next || once.reward != again.reward;
    random = random || varies;
    const bool redundant = !varies && std::any_of(kept.begin(), kept.end(), [&](StepBuffers& k) {
      if (k.next != once.next) return false;
      for (int i = 0; i < kPilotStates; ++i)
        if (k.reward[i] < once.reward[i]) return false;
      return true;
    });
    if (redundant) continue;
    search_.actions.push_back(a);
    kept.push_back(std::move(once));
  }
  search_.outcomes = random ? kRandomOutcomes : 1;
}

std::unique_ptr<StateGraph> MdpFitter::solve_whole() {
  const size_t most = options_.table_states;
  const int draws = 1 << 16;
  RecordBuffer starts(model_.state_size(), draws);
  model_.sample_initial({key_.fold("starts")}, starts);
  RecordIndex distinct(model_.state_size());
  for (int i = 0; i < draws; ++i) distinct.insert(starts.at(i));
  if (distinct.size() > most / 8) return nullptr;
  StateGraphOptions o = search_;
  o.max_states = most;
  o.max_depth = 1 << 30;
  auto graph = std::make_unique<StateGraph>(model_, o);
  graph->expand(distinct.records().view().sub(0, distinct.size()), key_.fold("whole"), &pool_);
  if (!graph->closed()) return nullptr;
  graph->solve({}, tolerance_, 10'000);
  return graph;
}

// The best return of doing one thing for ever.
std::vector<float> MdpFitter::blind_values(ConstRecords states, RngKey key) const {
  std::vector<float> values(states.count);
  const double discount = model_.facts().discount;
  pool_.for_chunks(states.count, 256, [&](size_t, size_t begin, size_t end) {
    const size_t n = end - begin;
    StepBuffers buffers(model_, n);
    const StepResults out = buffers.results(n);
    std::vector<double> best(n, -HUGE_VAL), sum(n);
    for (int a : search_.actions) {
      RecordBuffer at(model_.state_size());
      at.append(states.sub(begin, n));
      std::fill(sum.begin(), sum.end(), 0.0);
      const std::vector<int> action = filled(n, a);
      double factor = 1;
      for (int t = 0; t < horizon_; ++t, factor *= discount) {
        model_.step(at, action, {key.fold(a).fold(t), begin}, out);
        for (size_t i = 0; i < n; ++i) sum[i] += factor * out.reward[i];
        if (std::memcmp(at.at(0), out.next.data, n * at.record_size()) == 0) break;
        std::memcpy(at.at(0), out.next.data, n * at.record_size());
      }
      for (size_t i = 0; i < n; ++i) best[i] = std::max(best[i], sum[i]);
    }
    std::copy(best.begin(), best.end(), values.begin() + begin);
  });
  return values;
}

void MdpFitter::fit(const Rows& rows, int passes, RngKey key) {
  const int n = static_cast<int>(rows.targets.size());
  FeatureBatch features(model_.features(), n);
  model_.encode(rows.states, features);
  nn::FitOptions o;
  o.batch = kBatch;
  o.adam.rate = 0.003;
  o.max_epochs = passes;
  o.patience = 2 * (n / kBatch) + 1;
  o.holdout = 0.05;
  nn::FitResult result = nn::fit({model_.features(), {256, 64}}, {&features, rows.targets}, o, key,
                                 &pool_, network_.get());
  if (result.report.good()) network_ = std::make_unique<nn::Mlp>(std::move(*result.network));
  PENUMBRA_CHECK(network_, "the network of the MDP value could not be fitted");
}

std::unique_ptr<nn::Mlp> MdpFitter::fit_to(const StateGraph& graph) {
  Rng rng(key_.fold("fit whole"), 0);
  Rows rows;
  take_rows(graph, std::min<int>(options_.fitted_states, 20'000), rng, rows);
  fit(rows, 10, key_.fold("fit whole"));
  return std::move(network_);
}

// States d steps from the roots with a share in proportion to discount^d.
void MdpFitter::take_rows(const StateGraph& graph, int count, Rng& rng, Rows& rows) const {
  if (rows.states.record_size() == 0) rows.states = RecordBuffer(model_.state_size());
  int layers = graph.num_layers();
  while (layers > 1 && graph.layer_start(layers) > graph.num_expanded()) --layers;
  const double discount = model_.facts().discount, cut = std::pow(discount, layers);
  for (int i = 0; i < count; ++i) {
    const double u = 1 - rng.uniform() * (1 - cut);
    const int depth = std::clamp(static_cast<int>(std::log(u) / std::log(discount)), 0, layers - 1);
    const size_t first = graph.layer_start(depth);
    const size_t last = std::min(graph.layer_start(depth + 1), graph.num_expanded());
    if (first >= last) continue;
    const size_t s = first + rng.below(static_cast<uint32_t>(last - first));
    rows.states.push_back(graph.states().at(s));
    rows.targets.push_back(static_cast<float>(graph.values()[s]));
  }
}

void MdpFitter::solve(StateGraph& graph) const {
  const ConstRecords fringe = graph.fringe();
  std::vector<float> out(fringe.count);
  if (fringe.count > 0) {
    FeatureBatch features(model_.features(), static_cast<int>(fringe.count));
    model_.encode(fringe, features);
    network_->predict(features, out);
  }
  const std::vector<double> values(out.begin(), out.end());
  graph.solve(values, tolerance_, 200);
}

MdpFitter::Walk MdpFitter::search(const std::byte* start, int rows_per_graph, RngKey key) const {
  Walk walk;
  StateGraph graph(model_, search_);
  RecordBuffer root(model_.state_size());
  root.push_back(start);
  Rng rng(key.fold("rows"), 0);
  for (int g = 0, steps = 0; steps < horizon_; ++g) {
    graph.expand(root, key.fold(g));
    if (graph.num_states() == 0) break;
    solve(graph);
    walk.graphs += 1;
    walk.states += graph.num_states();
    take_rows(graph, rows_per_graph, rng, walk.rows);
    std::vector<int32_t> path{0};
    while (path.size() <= static_cast<size_t>(horizon_)) {
      if (static_cast<size_t>(path.back()) >= graph.num_expanded()) break;
      const int32_t next = graph.best_next(path.back());
      if (next < 0) break;
      path.push_back(next);
    }
    for (int32_t s : path) {
      walk.rows.states.push_back(graph.states().at(s));
      walk.rows.targets.push_back(static_cast<float>(graph.values()[s]));
    }
    if (graph.closed() || path.size() < 2) break;
    const size_t ahead = (path.size() + 1) / 2;
    steps += static_cast<int>(ahead);
    RecordBuffer next(model_.state_size());
    next.push_back(graph.states().at(path[ahead]));
    root = std::move(next);
  }
  return walk;
}

MdpFitter::Rows MdpFitter::search_round(int round) {
  const RngKey key = key_.fold("round").fold(round);
  const int walks = 48, rows_per_graph = options_.fitted_states / (walks * 6);
  RecordBuffer starts = walk_states(walks, key.fold("starts"));
  RecordBuffer fresh(model_.state_size(), walks / 2);
  model_.sample_initial({key.fold("fresh")}, fresh);
  for (int i = 0; i < walks / 2; ++i) starts.copy_from(2 * i, fresh.at(i));
  std::vector<Walk> results(walks);
  pool_.for_chunks(walks, 1, [&](size_t i, size_t, size_t) {
    results[i] = search(starts.at(i), rows_per_graph, key.fold("walk").fold(i));
  });
  Rows rows;
  for (const Walk& w : results) rows.append(w.rows);
  return rows;
}

std::unique_ptr<nn::Mlp> MdpFitter::fit_by_search() {
  search_.max_states = kSearchStates;
  Rows first;
  first.states = walk_states(20'000, key_.fold("blind"));
  first.targets = blind_values(first.states, key_.fold("blind step"));
  fit(first, 5, key_.fold("fit blind"));
  Rows before;
  for (int round = 0; round < options_.fitted_sweeps; ++round) {
    Rows rows = search_round(round), both;
    both.append(rows);
    if (round > 1) both.append(before);
    fit(both, 5, key_.fold("fit").fold(round));
    before = std::move(rows);
  }
  return std::move(network_);
}

}  // namespace penumbra
