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
    // State t of the second half takes t steps; what has ended stays as it was before.
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
  for (int a = 0; a < facts.num_actions; ++a)
    rollouts.run(all, states, std::vector<int>(kTrials, a), id, key.fold("try"), returns[a]);
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
  return std::shared_ptr<const Guide>(new Guide(model, std::move(kept)));
}

Guide::Guide(const Pomdp& model, Fsc blind)
    : model_(model), name_("blind"), blind_(true), depth_(cut_depth(model.facts())) {
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

void Guide::at_root(int node, ConstRecords states, std::vector<int>& out) const {
  if (blind_) return after(node, 0, 0, out);
  out.assign(1, node);
  if (node_of_.empty()) return;
  FeatureBatch batch(model_.features(), static_cast<int>(states.count));
  model_.encode(states, batch, 0);
  const std::vector<int32_t> group(states.count, 0);
  std::vector<double> sum(node_of_.size());
  controller_.networks->predict_sums(batch, {group, 1, {}}, sum);
  std::vector<int> order(sum.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](int f) { return node_of_[f] < 0; });
  const auto top = std::min<size_t>(kByNetwork, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<long>(top), order.end(),
                    [&](int a, int b) { return sum[a] != sum[b] ? sum[a] > sum[b] : a < b; });
  for (size_t k = 0; k < top; ++k)
    if (node_of_[order[k]] != node) out.push_back(node_of_[order[k]]);
}

int Guide::follow(int node, int action, int seen) const {
  if (blind_ || node < 0) return node;
  return action == controller_.fsc.action[node] ? controller_.fsc.next(node, seen) : node;
}

}  // namespace penumbra::search
