#include "penumbra/solvers/anchors/relevance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace penumbra::anchors {
namespace {

constexpr int kControllers = 24;      // at random, that show what returns depend on
constexpr int kNodes = 6;             // of each
constexpr int kRollouts = 4;          // per state and controller
constexpr double kWeightless = 0.05;  // discount at which a rollout ends
constexpr int kLikelihoods = 24;      // pairs of action and observation, at most
constexpr int kTrees = 4;             // per target
constexpr int kDepth = 8;
constexpr int kLeaf = 8;  // states that are not split any more
constexpr double kByChance = 6;

// Mean 0 and deviation 1. False if it is a constant.
bool standardise(std::vector<float>& values) {
  double sum = 0, squares = 0;
  for (float v : values) {
    sum += v;
    squares += double(v) * v;
  }
  const double n = double(values.size()), mean = sum / n;
  const double deviation = std::sqrt(std::max(0.0, squares / n - mean * mean));
  if (!(deviation > 1e-6)) return false;
  for (float& v : values) v = static_cast<float>((v - mean) / deviation);
  return true;
}

// A controller of random nodes with random edges, from every state at once.
std::vector<float> random_returns(const Pomdp& model, ConstRecords states, RngKey key,
                                  const Stop& stop) {
  const int observations = model.facts().num_observations;
  Rng rng(key.fold("controller"), 0);
  std::vector<int> action(kNodes), edge(size_t(kNodes) * observations);
  for (int& a : action)
    a = static_cast<int>(rng.below(static_cast<uint32_t>(model.facts().num_actions)));
  for (int& e : edge) e = static_cast<int>(rng.below(kNodes));
  const size_t n = states.count * kRollouts;
  RecordBuffer state(model.state_size(), n);
  for (size_t i = 0; i < n; ++i) state.copy_from(i, states.at(i / kRollouts));
  std::vector<int> node(n, 0), taken(n);
  std::vector<double> sum(n, 0);
  StepBuffers buffers(model, n);
  for (double weight = 1; weight > kWeightless; weight *= model.facts().discount) {
    throw_if_stopped(stop);
    for (size_t i = 0; i < n; ++i) taken[i] = action[node[i]];
    const StepResults out = buffers.results(n);
    model.step(state, std::span<const int>(taken), {key = key.fold("step")}, out);
    for (size_t i = 0; i < n; ++i) {
      sum[i] += weight * out.reward[i];
      node[i] = edge[size_t(node[i]) * observations + index_of(out.seen, i)];
      state.copy_from(i, out.next.at(i));
    }
  }
  std::vector<float> returns(states.count, 0);
  for (size_t i = 0; i < n; ++i) returns[i / kRollouts] += static_cast<float>(sum[i] / kRollouts);
  return returns;
}

// Splits at random, the best of one cut per input each time, and adds up what that gains.
class Tree {
 public:
  Tree(std::span<const float> x, int width, const std::vector<float>& y, Rng rng)
      : x_(x), width_(width), y_(y), rng_(rng), order_(y.size()), gain_(width, 0) {
    std::iota(order_.begin(), order_.end(), 0);
    grow(0, order_.size(), 0);
  }
  const std::vector<double>& gain() const { return gain_; }  // per input, of variance

 private:
  float at(int state, int input) const { return x_[size_t(state) * width_ + input]; }

  void grow(size_t begin, size_t end, int depth) {
    if (end - begin <= kLeaf || depth == kDepth) return;
    const double n = double(end - begin);
    double all = 0, squares = 0;
    for (size_t i = begin; i < end; ++i) {
      all += y_[order_[i]];
      squares += double(y_[order_[i]]) * y_[order_[i]];
    }
    // The best of some cuts that mean nothing gains a few times the variance of one state.
    const double by_chance = kByChance * (squares - all * all / n) / n;
    int best = -1;
    float best_cut = 0;
    double most = by_chance;
    for (int input = 0; input < width_; ++input) {
      float low = HUGE_VALF, high = -HUGE_VALF;
      for (size_t i = begin; i < end; ++i) {
        low = std::min(low, at(order_[i], input));
        high = std::max(high, at(order_[i], input));
      }
      const float cut = low + (high - low) * rng_.uniform_float();
      double sum = 0, count = 0;
      for (size_t i = begin; i < end; ++i)
        if (at(order_[i], input) < cut) {
          sum += y_[order_[i]];
          ++count;
        }
      const double rest = n - count;
      if (count == 0 || rest == 0) continue;
      const double gain = sum * sum / count + (all - sum) * (all - sum) / rest - all * all / n;
      if (gain > most) {
        most = gain;
        best = input;
        best_cut = cut;
      }
    }
    if (best < 0) return;
    gain_[best] += most - by_chance;
    const auto middle = std::partition(order_.begin() + begin, order_.begin() + end,
                                       [&](int s) { return at(s, best) < best_cut; });
    const size_t split = middle - order_.begin();
    grow(begin, split, depth + 1);
    grow(split, end, depth + 1);
  }

  std::span<const float> x_;
  int width_;
  const std::vector<float>& y_;
  Rng rng_;
  std::vector<int> order_;
  std::vector<double> gain_;
};

}  // namespace

Targets relevance_targets(const Pomdp& model, ConstRecords states, bool likelihoods, RngKey key,
                          ThreadPool& pool, const Stop& stop) {
  Targets targets(kControllers);
  pool.for_chunks(kControllers, 1, [&](size_t c, size_t, size_t) {
    targets[c] = random_returns(model, states, key.fold("returns").fold(c), stop);
  });
  if (likelihoods) {
    Rng rng(key.fold("likelihoods"), 0);
    std::vector<double> likelihood(states.count);
    for (int i = 0; i < kLikelihoods; ++i) {
      throw_if_stopped(stop);
      const int a = static_cast<int>(rng.below(static_cast<uint32_t>(model.facts().num_actions)));
      const int o =
          static_cast<int>(rng.below(static_cast<uint32_t>(model.facts().num_observations)));
      model.likelihood(reinterpret_cast<const std::byte*>(&o),
                       reinterpret_cast<const std::byte*>(&a), states, likelihood);
      targets.emplace_back(likelihood.begin(), likelihood.end());
    }
  }
  std::erase_if(targets, [](std::vector<float>& t) { return !standardise(t); });
  return targets;
}

std::vector<float> relevance(std::span<const float> x, int width, const Targets& targets,
                             RngKey key, ThreadPool& pool, const Stop& stop) {
  std::vector<std::vector<double>> gains(targets.size() * kTrees);
  pool.for_chunks(gains.size(), 1, [&](size_t i, size_t, size_t) {
    throw_if_stopped(stop);
    gains[i] = Tree(x, width, targets[i / kTrees], Rng(key, i)).gain();
  });
  std::vector<double> sum(width, 0);
  for (const std::vector<double>& gain : gains)
    for (int k = 0; k < width; ++k) sum[k] += gain[k];
  const double most = *std::max_element(sum.begin(), sum.end());
  std::vector<float> share;
  for (double s : sum) share.push_back(most > 0 ? static_cast<float>(std::sqrt(s / most)) : 1);
  return share;
}

}  // namespace penumbra::anchors
