#include "penumbra/solvers/mcvi/likelihood_backup.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "penumbra/model/action_stock.h"
#include "penumbra/solvers/controller/paired_gain.h"

namespace penumbra::mcvi {
namespace {

constexpr size_t kScreen = 4;    // candidates that are kept anyway
constexpr int kBoxRollouts = 2;  // per value of a node, where many nodes are tried for a box

double mean(const std::vector<float>& v) {
  return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
}

void sort_unique(std::vector<int>& nodes) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

}  // namespace

// Nodes made for beliefs like those after some of the observations that were drawn.
void LikelihoodBackup::add_similar(const controller::Origins& origins, const LikelihoodNode& node,
                                   ConstRecords seen, std::vector<int>& candidates) {
  const size_t n = node.num_samples();
  const int pivots = std::min<int>(options_.pivots, static_cast<int>(n));
  if (origins.count() == 0 || pivots == 0) return;
  Particles weighted;
  weighted.states = node.samples;
  weighted.weights.resize(n);
  RecordBuffer rows(model_.state_size());
  std::vector<int32_t> group;
  for (int p = 0; p < pivots; ++p) {
    model_.likelihood(seen.at(p), node.action_record(), node.samples, weighted.weights);
    const double total = std::accumulate(weighted.weights.begin(), weighted.weights.end(), 0.0);
    if (!(total > 0)) continue;
    for (double& w : weighted.weights) w /= total;
    const Particles after = resample(weighted, 32, RngKey::from_seed(p));
    rows.append(after.states);
    group.insert(group.end(), after.count(), p);
  }
  const auto nearness = origins.nearness(controller::encode(model_, rows), group, pivots);
  std::vector<float> near(origins.count());
  std::vector<int> best;
  for (int p = 0; p < pivots; ++p) {
    if (nearness.count(p) == 0) continue;
    nearness.to_all(p, near);
    controller::top(near, options_.by_similarity, best);
    candidates.insert(candidates.end(), best.begin(), best.end());
  }
}

// Keeps the candidates that are best in some state, and the best few on the whole.
void LikelihoodBackup::screen(const LikelihoodController& controller, ConstRecords states,
                              std::vector<int>& candidates, RngKey key) {
  std::vector<std::vector<float>> returns;
  std::vector<std::pair<double, int>> order;
  for (size_t k = 0; k < candidates.size(); ++k) {
    returns.push_back(rollouts_.run(controller, states, candidates[k], key));
    order.emplace_back(-mean(returns.back()), static_cast<int>(k));
  }
  std::sort(order.begin(), order.end());
  std::vector<char> kept(candidates.size(), 0);
  for (size_t i = 0; i < std::min(kScreen, order.size()); ++i) kept[order[i].second] = 1;
  for (size_t j = 0; j < states.count; ++j) {
    size_t best = 0;
    for (size_t k = 1; k < candidates.size(); ++k)
      if (returns[k][j] > returns[best][j]) best = k;
    kept[best] = 1;
  }
  std::vector<int> left;
  for (size_t k = 0; k < candidates.size(); ++k)
    if (kept[k]) left.push_back(candidates[k]);
  candidates = std::move(left);
}

LikelihoodNode LikelihoodBackup::make_node(const LikelihoodController& controller,
                                           const controller::Origins& origins, ConstRecords states,
                                           const NodeAction& action, std::span<const int> extra,
                                           bool similar, RngKey key) {
  LikelihoodNode node;
  node.action = action.number;
  node.real_action = action.real;
  node.samples = RecordBuffer(model_.state_size());
  StepBuffers buffers(model_, states.count);
  const StepResults out = buffers.results(states.count);
  RecordBuffer actions(model_.action_size(), states.count);
  for (size_t i = 0; i < states.count; ++i) actions.copy_from(i, node.action_record());
  model_.step(states, actions, {key.fold("step")}, out);
  steps_ += states.count;
  RecordBuffer seen(model_.seen_size());
  for (size_t i = 0; i < states.count; ++i) {
    if (out.ended[i]) continue;
    node.samples.push_back(out.next.at(i));
    seen.push_back(out.seen.at(i));
  }
  std::vector<int> candidates(extra.begin(), extra.end());
  const size_t n = node.num_samples();
  if (n == 0) {
    node.successor = {candidates.empty() ? 0 : candidates[0]};
    return node;
  }
  if (similar) add_similar(origins, node, seen, candidates);
  sort_unique(candidates);
  const int value_rollouts = action.real.empty() ? options_.value_rollouts : kBoxRollouts;
  auto add_values = [&](int round, std::vector<float>& value) {
    for (size_t k = 0; k < candidates.size(); ++k) {
      const std::vector<float> returns =
          rollouts_.run(controller, node.samples, candidates[k], key.fold("value").fold(round));
      for (size_t j = 0; j < n; ++j) value[k * n + j] += returns[j];
    }
  };
  // Of a box many nodes are tried: there a part of the sample shows who may be worth the rest.
  if (!action.real.empty() && n >= 4 * kScreen)
    screen(controller, node.samples.sub(0, n / 4), candidates, key.fold("screen"));
  // The successor of each observation that was drawn, by the values so far.
  auto chosen = [&](const std::vector<float>& value) {
    std::vector<char> used(candidates.size(), 0);
    scratch_.resize(n);
    for (size_t i = 0; i < n; ++i) {
      model_.likelihood(seen.at(i), node.action_record(), node.samples, scratch_);
      size_t best = 0;
      double most = -HUGE_VAL;
      for (size_t k = 0; k < candidates.size(); ++k) {
        double sum = 0;
        for (size_t j = 0; j < n; ++j) sum += scratch_[j] * value[k * n + j];
        if (sum <= most) continue;
        most = sum;
        best = k;
      }
      used[best] = 1;
    }
    return used;
  };
  // One rollout each shows who may be chosen; the rest are for these.
  std::vector<float> value(candidates.size() * n, 0.0f);
  for (int round = 0; round < value_rollouts; ++round) {
    add_values(round, value);
    if (round > 0 && round + 1 < value_rollouts) continue;
    const std::vector<char> used = chosen(value);
    std::vector<int> kept;
    std::vector<float> kept_value;
    for (size_t k = 0; k < candidates.size(); ++k) {
      if (!used[k]) continue;
      kept.push_back(candidates[k]);
      kept_value.insert(kept_value.end(), value.begin() + static_cast<long>(k * n),
                        value.begin() + static_cast<long>((k + 1) * n));
    }
    candidates = std::move(kept);
    value = std::move(kept_value);
  }
  for (float& v : value) v /= static_cast<float>(value_rollouts);
  // The best on the whole sample stands first.
  std::vector<double> total(candidates.size(), 0.0);
  for (size_t k = 0; k < candidates.size(); ++k)
    for (size_t j = 0; j < n; ++j) total[k] += value[k * n + j];
  const auto first = std::max_element(total.begin(), total.end()) - total.begin();
  std::swap(candidates[0], candidates[first]);
  std::swap_ranges(value.begin(), value.begin() + static_cast<long>(n),
                   value.begin() + first * static_cast<long>(n));
  node.successor = std::move(candidates);
  node.value = std::move(value);
  return node;
}

// Actions around that of the best node: three generations, closer each time. They are compared with
// its successors and samples; the winner gets samples of its own and is added to `made`.
void LikelihoodBackup::refine(LikelihoodController& controller, const controller::Origins& origins,
                              ConstRecords first, ConstRecords second, std::vector<int>& made,
                              RngKey key) {
  constexpr int kGenerations = 3;
  const auto start = controller.nodes[made[0]];
  double deviation = 0.2;
  double most = mean(rollouts_.run(controller, second, made[0], key.fold("check")));
  std::vector<float> best = start->real_action;
  const int trial = controller.num_nodes();
  controller.nodes.push_back(start);
  for (int generation = 0; generation < kGenerations; ++generation, deviation /= 3) {
    const std::vector<float> centre = best;
    Rng rng(key.fold("refine"), generation);
    for (int i = 0; i < options_.refine; ++i) {
      auto node = std::make_shared<LikelihoodNode>(*start);
      draw_near(model_.facts(), centre, deviation, rng, node->real_action);
      controller.nodes[trial] = node;
      const double value = mean(rollouts_.run(controller, second, trial, key.fold("check")));
      if (value <= most) continue;
      most = value;
      best = node->real_action;
    }
  }
  controller.nodes.resize(trial);
  if (best == start->real_action) return;
  controller.nodes.push_back(std::make_shared<LikelihoodNode>(make_node(
      controller, origins, first, {0, best}, start->successor, false, key.fold("choose"))));
  made.push_back(trial);
}

LikelihoodResult LikelihoodBackup::run(LikelihoodController& controller,
                                       const controller::Origins& origins, ConstRecords states,
                                       int current, std::span<const int> extra,
                                       std::span<const NodeAction> actions, double z, RngKey key) {
  const ConstRecords first = states.sub(0, options_.samples),
                     second = states.sub(options_.samples, options_.check),
                     third = states.sub(options_.samples + options_.check,
                                        states.count - options_.samples - options_.check);
  // Existing nodes: the most similar, those that are known to be of interest, the current one.
  std::vector<int> existing(extra.begin(), extra.end());
  if (current >= 0) existing.push_back(current);
  if (origins.count() > 0) {
    const std::vector<int32_t> group(first.count, 0);
    std::vector<float> near(origins.count());
    origins.nearness(controller::encode(model_, first), group, 1).to_all(0, near);
    std::vector<int> best;
    controller::top(near, 2 * options_.by_similarity, best);
    existing.insert(existing.end(), best.begin(), best.end());
  }
  sort_unique(existing);
  auto rank = [&](std::vector<int>& nodes, ConstRecords on, size_t keep, RngKey with) {
    std::vector<std::pair<double, int>> order;
    for (int n : nodes) order.emplace_back(-mean(rollouts_.run(controller, on, n, with)), n);
    std::sort(order.begin(), order.end());
    nodes.clear();
    for (size_t i = 0; i < std::min(keep, order.size()); ++i) nodes.push_back(order[i].second);
  };
  rank(existing, first, 2, key.fold("existing"));

  const int before = controller.num_nodes();
  std::vector<int> made;
  std::vector<int> more(extra.begin(), extra.end());
  more.insert(more.end(), existing.begin(), existing.end());
  if (current >= 0) {
    const std::vector<int>& follow = controller.nodes[current]->successor;
    more.insert(more.end(), follow.begin(), follow.end());
  }
  for (const NodeAction& action : actions) {
    made.push_back(controller.num_nodes());
    auto node = std::make_shared<LikelihoodNode>(
        make_node(controller, origins, first, action, more, true, key.fold("choose")));
    controller.nodes.push_back(std::move(node));
  }
  rank(existing, second, 1, key.fold("check"));
  rank(made, second, 2, key.fold("check"));
  if (!actions[0].real.empty()) refine(controller, origins, first, second, made, key);
  if (current >= 0 && existing[0] != current) existing.push_back(current);
  auto scores = [&](const std::vector<int>& nodes) {
    std::vector<std::vector<float>> out;
    for (int n : nodes) out.push_back(rollouts_.run(controller, third, n, key.fold("score")));
    return out;
  };
  auto best_of = [](const std::vector<std::vector<float>>& score) {
    size_t best = 0;
    for (size_t i = 1; i < score.size(); ++i)
      if (mean(score[i]) > mean(score[best])) best = i;
    return best;
  };
  const auto of_made = scores(made), of_existing = scores(existing);
  const size_t m = best_of(of_made), e = best_of(of_existing);
  const auto [gain, error] = controller::paired_gain(of_made[m], of_existing[e]);
  LikelihoodResult result;
  result.is_new = gain > z * error + controller::kLeastGain;
  if (current >= 0) {
    const auto& taken = result.is_new ? of_made[m] : of_existing[e];
    const auto [over_current, its_error] = controller::paired_gain(taken, of_existing.back());
    result.gain = over_current;
    result.gain_error = its_error;
  }
  const auto node = controller.nodes[made[m]];
  controller.nodes.resize(before);
  result.node = existing[e];
  if (!result.is_new) return result;
  result.node = before;
  controller.nodes.push_back(node);
  return result;
}

}  // namespace penumbra::mcvi
