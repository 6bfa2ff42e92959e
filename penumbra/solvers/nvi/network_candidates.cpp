#include "penumbra/solvers/nvi/network_candidates.h"

#include <algorithm>

namespace penumbra::nvi {

using controller::encode;
using controller::Origins;
using controller::top;

NetworkCandidates::NetworkCandidates(const Pomdp& model, const NetworkCandidateOptions& options,
                                     RngKey key)
    : model_(model),
      options_(options),
      origins_(model, options.sketch_width, key.fold("sketch")),
      pool_states_(model.state_size()) {
  if (options_.networks) bank_ = nn::make_bank(model.features(), options_.bank, key.fold("bank"));
}

void NetworkCandidates::set_pool(RecordBuffer states, ThreadPool& pool) {
  if (bank_) bank_->set_pool(encode(model_, states), &pool);
  pool_states_ = std::move(states);
}

FittedNode NetworkCandidates::fit(const TrainingSet& own, std::span<const float> pool_returns,
                                  RngKey key, ThreadPool* pool) const {
  FittedNode fitted;
  if (bank_) {
    const FeatureBatch local = encode(model_, own.states);
    nn::FitData data;
    data.pool_targets = pool_returns;
    data.local = &local;
    data.local_targets = own.returns;
    fitted.function = bank_->fit(data, key, pool);
    if (!fitted.function.report.good()) return fitted;
  }
  fitted.origin = origins_.sketch(own.states);
  return fitted;
}

void NetworkCandidates::insert(int node, const FittedNode& fitted) {
  if (bank_) {
    fit_errors_.add(fitted.function.report);
    if (!fitted.function.report.good()) return;  // the node lives on without a network
    bank_->append(fitted.function);
  }
  origins_.add(fitted.origin);
  node_.push_back(node);
  if (node >= static_cast<int>(function_.size())) function_.resize(node + 1, -1);
  function_[node] = static_cast<int>(node_.size()) - 1;
}

std::unique_ptr<Candidates> NetworkCandidates::fresh(RngKey key, ThreadPool& pool) const {
  auto made = std::make_unique<NetworkCandidates>(model_, options_, key);
  RecordBuffer states = pool_states_;
  made->set_pool(std::move(states), pool);
  return made;
}

void NetworkCandidates::hand_over(int old_node, int new_node) {
  const int f = old_node < static_cast<int>(function_.size()) ? function_[old_node] : -1;
  if (f < 0) return;
  if (new_node >= static_cast<int>(function_.size())) function_.resize(new_node + 1, -1);
  function_[new_node] = f;
  node_[f] = new_node;
}

void NetworkCandidates::renumber(std::span<const int> new_number) {
  std::vector<int> kept;
  int num_nodes = 0;
  for (int n : new_number) num_nodes = std::max(num_nodes, n + 1);
  function_.assign(num_nodes, -1);
  for (size_t f = 0; f < node_.size(); ++f) {
    const int node = new_number[node_[f]];
    if (node < 0) continue;
    function_[node] = static_cast<int>(kept.size());
    node_[kept.size()] = node;
    kept.push_back(static_cast<int>(f));
  }
  node_.resize(kept.size());
  origins_.keep(kept);
  if (bank_) bank_->keep(kept);
}

void NetworkCandidates::find(const CandidateQuery& query,
                             std::vector<std::vector<int>>& out) const {
  out.assign(query.num_groups, {});
  const size_t functions = node_.size();
  if (functions == 0 || query.num_groups == 0) return;
  const FeatureBatch batch = encode(model_, query.states);
  std::vector<double> sums(functions * query.num_groups);
  if (bank_) bank_->predict_sums(batch, {query.group, query.num_groups, {}}, sums);
  const Origins::Nearness near_origins = origins_.nearness(batch, query.group, query.num_groups);
  std::vector<float> value(functions), nearness(functions), promise, nearness_of_recent;
  std::vector<int> best, near, ranked;
  for (int g = 0; g < query.num_groups; ++g) {
    if (near_origins.count(g) == 0) continue;
    const float scale = 1.0f / static_cast<float>(near_origins.count(g));
    for (size_t f = 0; f < functions; ++f)
      value[f] = static_cast<float>(sums[g * functions + f]) * scale;
    near_origins.to_all(g, nearness);
    if (bank_) {
      top(value, options_.by_value, best);
      // Of the nodes made for the most similar beliefs, those whose functions promise most.
      top(nearness, 4 * options_.by_similarity, near);
      promise.clear();
      for (int f : near) promise.push_back(value[f]);
      top(promise, options_.by_similarity, ranked);
      for (int f : best) out[g].push_back(node_[f]);
      for (int r : ranked) out[g].push_back(node_[near[r]]);
    } else {
      top(nearness, options_.by_similarity, near);
      for (int f : near) out[g].push_back(node_[f]);
    }
    nearness_of_recent.clear();
    for (const RecentNode& n : query.recent)
      nearness_of_recent.push_back(near_origins.to(g, n.origin));
    top(nearness_of_recent, options_.same_excursion, near);
    for (int i : near) out[g].push_back(query.recent[i].node);
  }
}

std::vector<int> NetworkCandidates::alpha(int num_nodes) const {
  if (!bank_) return {};
  std::vector<int> alpha(num_nodes, -1);
  std::copy_n(function_.begin(), std::min<size_t>(function_.size(), num_nodes), alpha.begin());
  return alpha;
}

}  // namespace penumbra::nvi
