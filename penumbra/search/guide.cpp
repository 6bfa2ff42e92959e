#include "penumbra/search/guide.h"

#include <algorithm>
#include <numeric>

#include "penumbra/nn/value_bank.h"
#include "penumbra/policy/rollouts.h"

namespace penumbra::search {
namespace {

constexpr double kCutShare = 0.02;   // of the reward range: what rollouts may leave out
constexpr int kTrials = 128;         // states that blind policies are tried from
constexpr int kMostBlind = 4;        // that are kept
constexpr double kOftenBest = 0.02;  // share of the states that a kept one is the best at
constexpr int kByNetwork = 4;        // candidates at a root

int cut_depth(const Facts& facts) {
  return horizon_for(facts, kCutShare * (facts.max_reward - facts.min_reward + 1e-9));
}

// Half of them from b0, half after random actions.
RecordBuffer trial_states(const Pomdp& model, RngKey key) {
  RecordBuffer states(model.state_size(), kTrials);
  model.sample_initial({key.fold("initial")}, states);
  StepBuffers buffers(model, kTrials);
  std::vector<int> action(kTrials);
  for (int t = 0; t < kTrials / 2; ++t) {
    // State t of the second half takes t + 1 steps; what has ended stays as it was before.
    const int begin = kTrials / 2 + t;
    const size_t n = kTrials - begin;
    Rng rng(key.fold("actions"), t);
    for (size_t i = 0; i < n; ++i)
      action[i] = static_cast<int>(rng.below(model.facts().num_actions));
    const StepResults out = buffers.results(n);
    model.step(states.sub(begin, n), std::span<const int>(action.data(), n),
               {key.fold("step").fold(t)}, out);
    for (size_t i = 0; i < n; ++i)
      if (!out.ended[i]) states.copy_from(begin + i, out.next.at(i));
  }
  return states;
}

}  // namespace

std::shared_ptr<const Guide> Guide::blind(const Pomdp& model, RngKey key) {
  const Facts& facts = model.facts();
  require(model, Capability::kFiniteActions | Capability::kFiniteObservations,
          "a search with blind policies below it");
  Fsc all;
  all.num_observations = facts.num_observations;
  for (int a = 0; a < facts.num_actions; ++a) all.add_node(a);
  const RecordBuffer states = trial_states(model, key);
  std::vector<uint64_t> id(kTrials);
  std::iota(id.begin(), id.end(), 0);
  std::vector<std::vector<float>> returns(facts.num_actions, std::vector<float>(kTrials));
  Rollouts rollouts(model, cut_depth(facts));
  std::vector<double> steps(facts.num_actions);  // of one try
  for (int a = 0; a < facts.num_actions; ++a) {
    const uint64_t before = rollouts.steps();
    rollouts.run(all, states, std::vector<int>(kTrials, a), id, key.fold("try"), returns[a]);
    steps[a] = static_cast<double>(rollouts.steps() - before) / kTrials;
  }
  std::vector<double> wins(facts.num_actions), at_start(facts.num_actions);
  for (int i = 0; i < kTrials; ++i) {
    int best = 0;
    for (int a = 0; a < facts.num_actions; ++a) {
      if (returns[a][i] > returns[best][i]) best = a;
      if (i < kTrials / 2) at_start[a] += returns[a][i];
    }
    wins[best] += 1.0 / kTrials;
  }
  const auto first =
      static_cast<int>(std::max_element(at_start.begin(), at_start.end()) - at_start.begin());
  std::vector<int> order(facts.num_actions);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return wins[a] > wins[b]; });
  Fsc kept;
  kept.num_observations = facts.num_observations;
  kept.add_node(first);
  for (int a : order)
    if (a != first && wins[a] >= kOftenBest && kept.num_nodes() < kMostBlind) kept.add_node(a);
  double steps_per_state = 0;
  for (int a : kept.action) steps_per_state += steps[a];
  const std::shared_ptr<Guide> guide(new Guide(model, std::move(kept), "blind"));
  guide->steps_per_state_ = steps_per_state;
  return guide;
}

std::shared_ptr<const Guide> Guide::always(const Pomdp& model, int action) {
  require(model, Capability::kFiniteActions | Capability::kFiniteObservations,
          "a search with a blind policy below it");
  Fsc fsc;
  fsc.num_observations = model.facts().num_observations;
  fsc.add_node(action);
  return std::shared_ptr<const Guide>(
      new Guide(model, std::move(fsc), model.facts().action_name(action)));
}

Guide::Guide(const Pomdp& model, Fsc blind, std::string name)
    : model_(model), name_(std::move(name)), blind_(true), depth_(cut_depth(model.facts())) {
  controller_.fsc = std::move(blind);
}

Guide::Guide(const Pomdp& model, Fnc controller, std::string name)
    : model_(model),
      controller_(std::move(controller)),
      name_(std::move(name)),
      depth_(cut_depth(model.facts())) {
  check_fsc(controller_.fsc, model.facts());
  if (!controller_.networks) return;
  node_of_.assign(controller_.networks->size(), -1);
  for (size_t n = 0; n < controller_.alpha.size(); ++n)
    if (controller_.alpha[n] >= 0) node_of_[controller_.alpha[n]] = static_cast<int>(n);
}

void Guide::after(int node, int action, int seen, std::vector<int>& out) const {
  out.clear();
  if (blind_) {
    for (int n = 0; n < controller_.fsc.num_nodes(); ++n) out.push_back(n);
    return;
  }
  const int next = controller_.fsc.next(node, seen);
  out.push_back(next);
  if (action != controller_.fsc.action[node] && node != next) out.push_back(node);
}

void Guide::at_root(const Root& root, std::vector<int>& out) const {
  if (blind_) return after(-1, 0, 0, out);
  out.assign(1, root.node < 0 ? controller_.fsc.start : root.node);
  if (root.other >= 0 && root.other != root.node) out.push_back(root.other);
  if (node_of_.empty()) return;
  const size_t begin[] = {0, root.states.count};
  std::vector<int> nodes(kByNetwork);
  std::vector<double> values(kByNetwork);
  by_networks(root.states, root.weights, begin, kByNetwork, nodes, values);
  for (int n : nodes)
    if (n >= 0 && std::find(out.begin(), out.end(), n) == out.end()) out.push_back(n);
}

bool Guide::networks_are_a_plan() const {
  if (!has_networks()) return false;
  const nn::BankForm form = controller_.networks->form();
  return form == nn::BankForm::kGated || form == nn::BankForm::kAnchors;
}

void Guide::by_networks(ConstRecords states, std::span<const double> weights,
                        std::span<const size_t> begin, int most, std::span<int> nodes,
                        std::span<double> values) const {
  const int groups = static_cast<int>(begin.size()) - 1, functions = controller_.networks->size();
  FeatureBatch batch(model_.features(), static_cast<int>(states.count));
  model_.encode(states, batch, 0);
  std::vector<int32_t> group(states.count);
  std::vector<float> share(states.count);
  for (int g = 0; g < groups; ++g) {
    double total = 0;
    for (size_t i = begin[g]; i < begin[g + 1]; ++i) total += weights.empty() ? 1 : weights[i];
    for (size_t i = begin[g]; i < begin[g + 1]; ++i) {
      group[i] = g;
      share[i] = static_cast<float>((weights.empty() ? 1 : weights[i]) / total);
    }
  }
  std::vector<double> sums(size_t(groups) * functions);
  controller_.networks->predict_sums(batch, {group, groups, share}, sums);
  std::fill(nodes.begin(), nodes.end(), -1);
  for (int g = 0; g < groups; ++g) {
    const double* sum = sums.data() + size_t(g) * functions;
    const std::span<int> best = nodes.subspan(size_t(g) * most, most);
    const std::span<double> value = values.subspan(size_t(g) * most, most);
    for (int f = 0; f < functions; ++f) {
      if (node_of_[f] < 0 || (best[most - 1] >= 0 && sum[f] <= value[most - 1])) continue;
      int at = most - 1;
      for (; at > 0 && (best[at - 1] < 0 || sum[f] > value[at - 1]); --at) {
        best[at] = best[at - 1];
        value[at] = value[at - 1];
      }
      best[at] = node_of_[f];
      value[at] = sum[f];
    }
  }
}

int Guide::follow(int node, int action, int seen) const {
  if (blind_ || node < 0) return node;
  return action == controller_.fsc.action[node] ? controller_.fsc.next(node, seen) : node;
}

void Guide::follow(int action, int seen, int& node, int& other) const {
  other = action == controller_.fsc.action[node] ? -1 : controller_.fsc.next(node, seen);
  node = follow(node, action, seen);
}

}  // namespace penumbra::search
