#include "penumbra/solvers/nvi/library.h"

#include <Eigen/Dense>
#include <algorithm>
#include <numeric>

#include "penumbra/base/error.h"

namespace penumbra::nvi {
namespace {

FeatureBatch encode(const Pomdp& model, ConstRecords states) {
  FeatureBatch batch(model.features(), static_cast<int>(states.count));
  model.encode(states, batch, 0);
  return batch;
}

// The numbers of the k largest scores, largest first, ties by number.
void top(std::span<const float> score, int k, std::vector<int>& out) {
  out.clear();
  for (int i = 0; i < static_cast<int>(score.size()); ++i) {
    if (static_cast<int>(out.size()) == k && score[i] <= score[out.back()]) continue;
    if (static_cast<int>(out.size()) == k) out.pop_back();
    auto at = out.end();
    while (at != out.begin() && score[*(at - 1)] < score[i]) --at;
    out.insert(at, i);
  }
}

float squared_norm(std::span<const float> v) {
  return std::inner_product(v.begin(), v.end(), v.begin(), 0.0f);
}

}  // namespace

Library::Library(const Pomdp& model, const LibraryOptions& options, RngKey key)
    : model_(model),
      options_(options),
      bank_(nn::make_bank(model.features(), options.bank, key.fold("bank"))),
      sketch_(nn::FeatureMap::random(model.features(), options.sketch_width, key.fold("sketch"))),
      pool_states_(model.state_size()) {}

void Library::set_pool(RecordBuffer states, ThreadPool& pool) {
  bank_->set_pool(encode(model_, states), &pool);
  pool_states_ = std::move(states);
}

void Library::add(int node, const TrainingSet& own, std::span<const float> pool_returns, RngKey key,
                  ThreadPool& pool) {
  const FeatureBatch local = encode(model_, own.states);
  nn::FitData data;
  data.pool_targets = pool_returns;
  data.local = &local;
  data.local_targets = own.returns;
  const nn::FitReport fit = bank_->add(data, key, &pool);
  fit_errors_.add(fit);
  if (!fit.good()) return;  // the node lives on without a network
  const std::vector<float> mean = birth(own.states);
  const float square = squared_norm(mean);
  birth_.insert(birth_.end(), mean.begin(), mean.end());
  birth_square_.push_back(square);
  node_.push_back(node);
  if (node >= static_cast<int>(function_.size())) function_.resize(node + 1, -1);
  function_[node] = static_cast<int>(node_.size()) - 1;
}

std::vector<float> Library::birth(ConstRecords states) const {
  const nn::FeatureMatrix features = sketch_.compute(encode(model_, states));
  std::vector<float> mean(features.width, 0.0f);
  for (int i = 0; i < features.rows; ++i)
    for (int f = 0; f < features.width; ++f) mean[f] += features.row(i)[f];
  for (float& m : mean) m /= static_cast<float>(features.rows);
  return mean;
}

void Library::hand_over(int old_node, int new_node) {
  const int f = old_node < static_cast<int>(function_.size()) ? function_[old_node] : -1;
  if (f < 0) return;
  if (new_node >= static_cast<int>(function_.size())) function_.resize(new_node + 1, -1);
  function_[new_node] = f;
  node_[f] = new_node;
}

void Library::renumber(std::span<const int> new_number) {
  std::vector<int> kept;
  const size_t width = sketch_.width();
  int num_nodes = 0;
  for (int n : new_number) num_nodes = std::max(num_nodes, n + 1);
  function_.assign(num_nodes, -1);
  for (size_t f = 0; f < node_.size(); ++f) {
    const int node = new_number[node_[f]];
    if (node < 0) continue;
    const size_t to = kept.size();
    function_[node] = static_cast<int>(to);
    std::copy_n(birth_.begin() + f * width, width, birth_.begin() + to * width);
    birth_square_[to] = birth_square_[f];
    node_[to] = node;
    kept.push_back(static_cast<int>(f));
  }
  node_.resize(kept.size());
  birth_.resize(kept.size() * width);
  birth_square_.resize(kept.size());
  bank_->keep(kept);
}

void Library::candidates(ConstRecords states, std::span<const int32_t> group, int num_groups,
                         std::span<const Newborn> newborns,
                         std::vector<std::vector<int>>& out) const {
  out.assign(num_groups, {});
  const size_t functions = node_.size(), width = sketch_.width();
  if (functions == 0 || num_groups == 0) return;
  const FeatureBatch batch = encode(model_, states);
  std::vector<double> sums(functions * num_groups);
  bank_->predict_sums(batch, {group, num_groups, {}}, sums);
  const nn::FeatureMatrix features = sketch_.compute(batch);
  std::vector<float> mean(num_groups * width, 0.0f);
  std::vector<int> count(num_groups, 0);
  for (int i = 0; i < features.rows; ++i) {
    if (group[i] < 0) continue;
    ++count[group[i]];
    for (size_t f = 0; f < width; ++f) mean[group[i] * width + f] += features.row(i)[f];
  }
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Matrix> births(birth_.data(), functions, width),
      means(mean.data(), num_groups, width);
  const Matrix dots = means * births.transpose();
  std::vector<float> value(functions), nearness(functions), promise, nearness_of_newborns;
  std::vector<int> best, near, ranked;
  for (int g = 0; g < num_groups; ++g) {
    if (count[g] == 0) continue;
    const float scale = 1.0f / static_cast<float>(count[g]);
    for (size_t f = 0; f < functions; ++f) {
      value[f] = static_cast<float>(sums[g * functions + f]) * scale;
      nearness[f] = 2 * dots(g, f) * scale - birth_square_[f];  // minus the squared distance
    }
    top(value, options_.by_value, best);
    // Of the most similar births, those that promise most.
    top(nearness, 4 * options_.by_birth, near);
    promise.clear();
    for (int f : near) promise.push_back(value[f]);
    top(promise, options_.by_birth, ranked);
    for (int f : best) out[g].push_back(node_[f]);
    for (int r : ranked) out[g].push_back(node_[near[r]]);
    nearness_of_newborns.clear();
    for (const Newborn& n : newborns) {
      const float dot = std::inner_product(n.birth.begin(), n.birth.end(), &mean[g * width], 0.0f);
      nearness_of_newborns.push_back(2 * dot * scale - squared_norm(n.birth));
    }
    top(nearness_of_newborns, options_.newborns, near);
    for (int i : near) out[g].push_back(newborns[i].node);
  }
}

std::vector<int> Library::alpha(int num_nodes) const {
  std::vector<int> alpha(num_nodes, -1);
  std::copy_n(function_.begin(), std::min<size_t>(function_.size(), num_nodes), alpha.begin());
  return alpha;
}

}  // namespace penumbra::nvi
