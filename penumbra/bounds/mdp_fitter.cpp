#include "penumbra/bounds/mdp_fitter.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "penumbra/base/error.h"
#include "penumbra/bounds/action_study.h"
#include "penumbra/bounds/mdp_plan.h"
#include "penumbra/nn/fit.h"

namespace penumbra {
namespace {

constexpr int kRandomOutcomes = 8;         // draws of an action where moves are random
constexpr size_t kSearchStates = 1 << 11;  // of one graph whose states recur
constexpr size_t kTreeStates = 1 << 8;     // of one graph whose states hardly do
constexpr int kBlindStates = 20'000;       // at most
constexpr int kPasses = 3;                 // over the rows of a round
constexpr double kRate = 0.003;            // of learning; falls to a fifth of it over the rounds

// States d steps from the roots with a share in proportion to discount^d.
template <class Take>
void sample_states(const StateGraph& graph, double discount, int count, Rng& rng,
                   const Take& take) {
  int layers = graph.num_layers();
  while (layers > 1 && graph.layer_start(layers - 1) >= graph.num_expanded()) --layers;
  discount = std::clamp(discount, 1e-6, 1 - 1e-6);
  const double cut = std::pow(discount, layers);
  for (int i = 0; i < count; ++i) {
    const double u = 1 - rng.uniform() * (1 - cut);
    const int depth = std::clamp(static_cast<int>(std::log(u) / std::log(discount)), 0, layers - 1);
    const size_t first = graph.layer_start(depth);
    const size_t last = std::min(graph.layer_start(depth + 1), graph.num_expanded());
    take(first + rng.below(static_cast<uint32_t>(last - first)));
  }
}

}  // namespace

void MdpFitter::Rows::add(const StateGraph& graph, size_t state) {
  if (states.record_size() == 0) states = RecordBuffer(graph.states().size);
  states.push_back(graph.states().at(state));
  targets.push_back(static_cast<float>(graph.values()[state]));
}

void MdpFitter::Rows::append(const Rows& more) {
  if (states.record_size() == 0) states = RecordBuffer(more.states.record_size());
  states.append(more.states.view());
  targets.insert(targets.end(), more.targets.begin(), more.targets.end());
}

void MdpFitter::Rows::keep_last(size_t count) {
  if (targets.size() <= count) return;
  const size_t old = targets.size() - count;
  RecordBuffer rest(states.record_size());
  rest.append(states.view().sub(old, count));
  states = std::move(rest);
  targets.erase(targets.begin(), targets.begin() + old);
}

MdpFitter::MdpFitter(const Pomdp& model, const MdpValueOptions& options, RngKey key,
                     ThreadPool& pool, const Stop& stop)
    : model_(model),
      options_(options),
      key_(key),
      pool_(pool),
      stop_(stop),
      horizon_(effective_horizon(model.facts())),
      walks_(std::clamp(options.fitted_states / 1500, 8, 128)) {
  const Facts& facts = model.facts();
  tolerance_ = 1e-5 * std::max({std::abs(facts.min_reward), std::abs(facts.max_reward), 1e-3});
  const ActionStudy study = study_actions(model, key.fold("study"), pool, stop_);
  search_.actions = study.actions;
  search_.outcomes = study.any_random() ? kRandomOutcomes : 1;
  search_.max_depth = horizon_;
}

std::unique_ptr<StateGraph> MdpFitter::solve_whole() {
  constexpr int kDraws = 1 << 16;  // of b0: what it does not show is left to a network
  const size_t most = options_.table_states;
  constexpr int kBlock = 1 << 12;
  RecordBuffer starts(model_.state_size(), kBlock);
  RecordIndex distinct(model_.state_size());
  for (uint64_t first = 0; first < kDraws && !asked_to_stop(stop_); first += kBlock) {
    model_.sample_initial({key_.fold("starts"), first}, starts);
    for (int i = 0; i < kBlock; ++i) distinct.insert(starts.at(i));
  }
  if (asked_to_stop(stop_) || distinct.size() > most / 8) return nullptr;
  StateGraphOptions o = search_;
  o.max_states = most;
  o.max_depth = 1 << 30;
  auto graph = std::make_unique<StateGraph>(model_, o);
  graph->expand(distinct.records().view().sub(0, distinct.size()), key_.fold("whole"), &pool_,
                stop_);
  // Values of a sweep that was stopped are far below those that it would have come to.
  if (!graph->closed() || !graph->solve({}, tolerance_, 10'000, stop_)) return nullptr;
  return graph;
}

std::unique_ptr<MdpValue> MdpFitter::fit_to(const StateGraph& graph) {
  Rng rng(key_.fold("rows"), 0);
  Rows rows;
  sample_states(graph, model_.facts().discount, std::min(options_.fitted_states, 20'000), rng,
                [&](size_t s) { rows.add(graph, s); });
  fit(rows, 3 * kPasses, kRate, key_.fold("fit whole"));
  return fitted();
}

// The best return of doing one thing for ever.
std::vector<float> MdpFitter::blind_values(ConstRecords states, RngKey key) const {
  std::vector<float> values(states.count);
  const double discount = model_.facts().discount;
  pool_.for_chunks(states.count, 256, [&](size_t, size_t begin, size_t end) {
    const size_t n = end - begin, bytes = n * states.size;
    StepBuffers buffers(model_, n);
    const StepResults out = buffers.results(n);
    std::vector<double> best(n, -HUGE_VAL), sum(n);
    RecordBuffer at(states.size, n);
    for (int a : search_.actions) {
      std::memcpy(at.at(0), states.at(begin), bytes);
      std::fill(sum.begin(), sum.end(), 0.0);
      const std::vector<int> action(n, a);
      double factor = 1;
      for (int t = 0; t < horizon_; ++t, factor *= discount) {
        if (asked_to_stop(stop_)) return;
        model_.step(at, action, {key.fold(a).fold(t), begin}, out);
        for (size_t i = 0; i < n; ++i) sum[i] += factor * out.reward[i];
        std::memcpy(at.at(0), out.next.data, bytes);
      }
      for (size_t i = 0; i < n; ++i) best[i] = std::max(best[i], sum[i]);
    }
    std::copy(best.begin(), best.end(), values.begin() + begin);
  });
  return values;
}

void MdpFitter::fit(const Rows& rows, int passes, double rate, RngKey key) {
  const int n = static_cast<int>(rows.targets.size());
  FeatureBatch features(model_.features(), n);
  model_.encode(rows.states, features);
  if (asked_to_stop(stop_)) return;
  nn::FitOptions o;
  o.batch = 512;
  o.adam.rate = rate;
  o.max_epochs = passes;
  o.patience = 2 * (n / o.batch) + 1;
  o.holdout = 0.05;
  o.stop = stop_;
  nn::FitResult result = nn::fit({model_.features(), {128, 64}}, {&features, rows.targets}, o, key,
                                 &pool_, value_ ? &value_->network() : nullptr);
  // A first network that was stopped knows nothing; a later one is no worse than it was.
  const bool useless = result.report.status == nn::FitStatus::kStopped && !value_;
  if (result.report.good() && !useless)
    value_ = std::make_unique<NetworkMdpValue>(model_, std::move(*result.network));
  if (!value_ && !asked_to_stop(stop_))
    throw Error("mdp source 'fitted': rewards or features of " + model_.facts().name +
                " are not finite; see that step and encode give finite numbers");
}

std::unique_ptr<MdpValue> MdpFitter::fitted() {
  if (value_) return std::move(value_);
  return std::make_unique<ConstantMdpValue>(model_);
}

// Moves every lane by the network's greedy policy, each for a time of its own.
void MdpFitter::run_greedy(Records states, RngKey key) const {
  const size_t n = states.count, num_actions = model_.facts().num_actions;
  std::vector<double> q(n * num_actions);
  std::vector<char> unchanged(num_actions);
  std::vector<int> action(n), left(n);
  for (size_t i = 0; i < n; ++i)
    left[i] = static_cast<int>(Rng(key.fold("length"), i).below(static_cast<uint32_t>(horizon_)));
  StepBuffers buffers(model_, n);
  const StepResults out = buffers.results(n);
  for (int t = 0; t < horizon_ && !asked_to_stop(stop_); ++t) {
    mdp_q_values(model_, *value_, states, key.fold("look").fold(t), q, unchanged);
    for (size_t i = 0; i < n; ++i) {
      const auto first = q.begin() + i * num_actions;
      action[i] = static_cast<int>(std::max_element(first, first + num_actions) - first);
    }
    model_.step(states, action, {key.fold("step").fold(t)}, out);
    for (size_t i = 0; i < n; ++i)
      if (t < left[i] && !out.ended[i]) std::memcpy(states.at(i), out.next.at(i), states.size);
  }
}

// Where states do not recur, a search is a tree: many small ones tell more than a few large ones.
void MdpFitter::size_searches() {
  search_.max_states = kSearchStates;
  const RecordBuffer start = walk_states(model_, 1, key_.fold("size"), pool_, stop_);
  StateGraph graph(model_, search_);
  graph.expand(start, key_.fold("size"), nullptr, stop_);
  if (graph.num_states() * 2 <= graph.num_edges()) return;
  search_.max_states = kTreeStates;
  walks_ *= 2;
  rows_per_graph_ /= 2;
}

MdpFitter::Rows MdpFitter::search(const std::byte* start, RngKey key) const {
  Rows rows;
  StateGraph graph(model_, search_);
  RecordBuffer root(model_.state_size(), 1);
  root.copy_from(0, start);
  Rng rng(key.fold("rows"), 0);
  for (int g = 0, steps = 0; steps < horizon_; ++g) {
    graph.expand(root, key.fold(g), nullptr, stop_);
    if (graph.num_states() == 0 || asked_to_stop(stop_)) break;
    solve_with(graph, *value_, tolerance_, stop_);
    sample_states(graph, model_.facts().discount, rows_per_graph_, rng,
                  [&](size_t s) { rows.add(graph, s); });
    std::vector<size_t> path{0};
    while (path.back() < graph.num_expanded() && path.size() <= size_t(horizon_)) {
      rows.add(graph, path.back());
      const StateGraph::Choice best = graph.best(path.back());
      if (best.next < 0 || best.next == static_cast<int32_t>(path.back())) break;
      path.push_back(best.next);
    }
    if (graph.closed() || path.size() < 2) break;
    const size_t ahead = path.size() / 2;  // what lies near the fringe is not yet certain
    steps += static_cast<int>(ahead);
    root.copy_from(0, graph.states().at(path[ahead]));
  }
  return rows;
}

MdpFitter::Rows MdpFitter::search_round(int round) const {
  const RngKey key = key_.fold("round").fold(round);
  // A quarter from b0, a quarter from random walks, half where the greedy policy got to from b0.
  const int quarter = walks_ / 4;
  RecordBuffer starts = walk_states(model_, walks_, key.fold("starts"), pool_, stop_);
  model_.sample_initial({key.fold("fresh")}, starts.sub(0, 3 * quarter));
  run_greedy(starts.sub(quarter, 2 * quarter), key.fold("greedy"));
  std::vector<Rows> results(walks_);
  pool_.for_chunks(walks_, 1, [&](size_t i, size_t, size_t) {
    results[i] = search(starts.at(i), key.fold("walk").fold(i));
  });
  Rows rows;
  for (const Rows& r : results)
    if (!r.targets.empty()) rows.append(r);
  return rows;
}

// The root mean square of target - network, as a share of the targets' deviation.
double MdpFitter::disagreement(const Rows& rows) const {
  std::vector<double> now(rows.targets.size());
  pool_.for_chunks(now.size(), 1024, [&](size_t, size_t begin, size_t end) {
    value_->value(rows.states.sub(begin, end - begin), std::span(now).subspan(begin, end - begin));
  });
  double mean = 0, error = 0, spread = 0;
  for (float t : rows.targets) mean += t / double(now.size());
  for (size_t i = 0; i < now.size(); ++i) {
    error += (now[i] - rows.targets[i]) * (now[i] - rows.targets[i]);
    spread += (rows.targets[i] - mean) * (rows.targets[i] - mean);
  }
  return spread > 0 ? std::sqrt(error / spread) : 0;
}

std::unique_ptr<MdpValue> MdpFitter::fit_by_search() {
  Rows first;
  first.states = walk_states(model_, std::min(kBlindStates, options_.fitted_states),
                             key_.fold("blind"), pool_, stop_);
  first.targets = blind_values(first.states, key_.fold("blind step"));
  if (asked_to_stop(stop_)) return fitted();
  fit(first, kPasses, kRate, key_.fold("fit blind"));
  if (asked_to_stop(stop_)) return fitted();
  size_searches();
  Rows rows;
  for (int round = 0; round < options_.fitted_sweeps; ++round) {
    Rows fresh = search_round(round);
    if (fresh.targets.empty() || asked_to_stop(stop_)) break;
    const double error = disagreement(fresh);
    // Targets of the first rounds hang on a poor fringe.
    if (round < 3) rows = Rows();
    rows.append(fresh);
    rows.keep_last(options_.fitted_states);
    const double rate = kRate * std::pow(0.2, double(round) / options_.fitted_sweeps);
    fit(rows, kPasses, rate, key_.fold("fit").fold(round));
    if (error < 0.01) break;
  }
  return fitted();
}

}  // namespace penumbra
