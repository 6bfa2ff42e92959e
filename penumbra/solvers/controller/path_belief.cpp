#include "penumbra/solvers/controller/path_belief.h"

#include <algorithm>
#include <numeric>

#include "penumbra/model/record_set.h"

namespace penumbra::controller {
namespace {

constexpr double kNegligible = 1e-4;  // particles below this share of the heaviest are dropped
constexpr double kRuledOut = 0.2;     // a followed particle below this share counts as ruled out
constexpr int kMaxRepeats = 8;        // rejection: further simulations of a thin belief

}  // namespace

PathBelief::PathBelief(const Pomdp& model, const PathBeliefOptions& options, RngKey key)
    : model_(model),
      options_(options),
      states_(model.state_size(), options.particles),
      weights_(options.particles, 1.0 / options.particles) {
  options_.use_likelihood &= model.has(Capability::kLikelihood);
  model.sample_initial({key.fold("path initial")}, states_);
}

bool PathBelief::advance(int action, int seen, RngKey key) {
  const size_t n = states_.count();
  const std::vector<int> actions(n, action);
  StepBuffers buffers(model_, n);
  const StepResults results = buffers.results(n);
  model_.step(states_, std::span<const int>(actions), {key.fold("path step")}, results);
  bool alive;
  if (options_.use_likelihood) {
    alive = advance_weighted(results, action, seen);
  } else {
    const RecordBuffer before = std::move(states_);
    const std::vector<double> weights = std::move(weights_);
    alive = advance_rejecting(before, weights, results, action, seen, key);
  }
  if (alive) multiply(key);
  return alive;
}

bool PathBelief::advance_weighted(const StepResults& results, int action, int seen) {
  const size_t n = states_.count();
  std::vector<double> weight(n);
  model_.likelihood(reinterpret_cast<const std::byte*>(&seen),
                    reinterpret_cast<const std::byte*>(&action), results.next, weight);
  double heaviest = 0;
  for (size_t i = 0; i < n; ++i) {
    weight[i] = results.ended[i] ? 0 : weight[i] * weights_[i];
    heaviest = std::max(heaviest, weight[i]);
  }
  if (!(heaviest > 0)) return false;
  size_t kept = 0;
  double total = 0;
  long followed = -1;
  for (size_t i = 0; i < n; ++i) {
    if (weight[i] <= kNegligible * heaviest) continue;
    if (static_cast<long>(i) == followed_ && weight[i] > kRuledOut * heaviest)
      followed = static_cast<long>(kept);
    states_.copy_from(kept, results.next.at(i));
    weights_[kept++] = weight[i];
    total += weight[i];
  }
  states_.resize(kept);
  weights_.resize(kept);
  for (double& w : weights_) w /= total;
  followed_ = followed;
  return true;
}

bool PathBelief::advance_rejecting(const RecordBuffer& before, const std::vector<double>& weights,
                                   const StepResults& first, int action, int seen, RngKey key) {
  const size_t n = before.count();
  const std::vector<int> actions(n, action);
  StepBuffers buffers(model_, n);
  states_ = RecordBuffer(model_.state_size());
  weights_.clear();
  long followed = -1;
  StepResults results = first;
  for (int round = 0; round < kMaxRepeats; ++round) {
    if (round > 0) {
      results = buffers.results(n);
      model_.step(before, std::span<const int>(actions), {key.fold("path again").fold(round)},
                  results);
    }
    for (size_t i = 0; i < n; ++i) {
      if (results.ended[i] || index_of(results.seen, i) != seen) continue;
      if (round == 0 && static_cast<long>(i) == followed_)
        followed = static_cast<long>(states_.count());
      states_.push_back(results.next.at(i));
      weights_.push_back(weights[i]);
    }
    if (states_.count() >= options_.min_particles) break;
  }
  followed_ = followed;
  const double total = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  if (!(total > 0)) return false;
  for (double& w : weights_) w /= total;
  return true;
}

// Where the model knows how to move a particle a little, a thin belief is thickened.
void PathBelief::multiply(RngKey key) {
  if (!model_.has(Capability::kPerturb)) return;
  Particles thin;
  thin.states = states_;
  thin.weights = weights_;
  if (thin.effective_size() >= options_.min_particles) return;
  const size_t count = 4 * static_cast<size_t>(options_.min_particles);
  states_ = resample(thin, count, key.fold("path multiply")).states;
  model_.perturb(states_, {key.fold("path perturb")}, states_);
  weights_.assign(count, 1.0 / static_cast<double>(count));
  followed_ = -1;
}

RecordBuffer PathBelief::sample(size_t count, RngKey key) const {
  // Systematic draws, then a shuffle, so that every part of the sample is a sample.
  RecordBuffer out(model_.state_size(), count);
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  Rng rng(key.fold("path sample"), 0);
  for (size_t i = count - 1; i > 0; --i)
    std::swap(order[i], order[rng.below(static_cast<uint32_t>(i + 1))]);
  const double step = 1.0 / static_cast<double>(count);
  double target = rng.uniform() * step, reached = weights_[0];
  size_t source = 0;
  for (size_t i = 0; i < count; ++i, target += step) {
    while (reached <= target && source + 1 < weights_.size()) reached += weights_[++source];
    out.copy_from(order[i], states_.at(source));
  }
  return out;
}

WeightedStates PathBelief::support(size_t most, RngKey key) const {
  RecordSet distinct(model_.state_size(), most);
  WeightedStates out;
  for (size_t i = 0; i < states_.count(); ++i) {
    const size_t at = distinct.insert(states_.at(i));
    if (at == most)
      return {sample(most, key), std::vector<double>(most, 1.0 / static_cast<double>(most))};
    if (at == out.weights.size()) out.weights.push_back(0);
    out.weights[at] += weights_[i];
  }
  out.states = distinct.take();
  // What follows a state may be random: all the room is used.
  const size_t count = out.weights.size(), copies = most / count;
  for (double& w : out.weights) w /= static_cast<double>(copies);
  out.states.resize(copies * count);
  for (size_t i = count; i < copies * count; ++i) {
    out.states.copy_from(i, out.states.at(i - count));
    out.weights.push_back(out.weights[i - count]);
  }
  return out;
}

void PathBelief::follow(RngKey key) {
  Rng rng(key.fold("path follow"), 0);
  followed_ = rng.categorical(weights_);
}

}  // namespace penumbra::controller
