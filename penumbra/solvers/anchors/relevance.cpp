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
constexpr size_t kPairStates = 768;  // states that are compared two by two
constexpr int kNear = 8;             // states that a prediction is the mean of in the beginning
constexpr int kEpochs = 60;
constexpr double kRate = 0.1;  // of Adam, on the logarithm of squared scales

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

void divide_by_largest(std::vector<float>& values) {
  const float most = *std::max_element(values.begin(), values.end());
  for (float& v : values) v = most > 0 ? v / most : 1;
}

// Predicts each target at a state by the other states, weighed by exp(-distance^2) in scaled
// inputs; tells the gradient of the squared error by the logarithms of the squared scales.
class LeaveOneOut {
 public:
  LeaveOneOut(std::span<const float> x, int width, const Targets& targets)
      : x_(x), width_(width), targets_(targets.size()) {
    count_ = std::min(kPairStates, x.size() / width);
    for (size_t i = 0; i < count_; ++i)
      for (const std::vector<float>& t : targets) y_.push_back(t[i]);
  }
  size_t count() const { return count_; }

  // Of one scale for all inputs with which about kNear states count.
  double first_scale() const {
    double sum = 0;
    std::vector<double> distance(count_);
    for (size_t i = 0; i < count_; ++i) {
      for (size_t j = 0; j < count_; ++j) {
        distance[j] = 0;
        for (int k = 0; k < width_; ++k) distance[j] += apart(i, j, k);
      }
      std::nth_element(distance.begin(), distance.begin() + kNear, distance.end());
      sum += distance[kNear];
    }
    return double(count_) / sum;
  }

  void add_gradient(size_t i, const std::vector<double>& scale, std::vector<double>& out) const {
    std::vector<double> weight(count_, 0), guess(targets_, 0);
    double nearest = HUGE_VAL, total = 0;
    for (size_t j = 0; j < count_; ++j) {
      for (int k = 0; k < width_; ++k) weight[j] += scale[k] * apart(i, j, k);
      if (j != i) nearest = std::min(nearest, weight[j]);
    }
    for (size_t j = 0; j < count_; ++j) {
      weight[j] = j == i ? 0 : std::exp(nearest - weight[j]);
      total += weight[j];
    }
    for (size_t j = 0; j < count_; ++j) {
      weight[j] /= total;
      if (weight[j] < kNegligible) continue;
      for (size_t t = 0; t < targets_; ++t) guess[t] += weight[j] * y_[j * targets_ + t];
    }
    for (size_t j = 0; j < count_; ++j) {
      if (weight[j] < kNegligible) continue;
      double slope = 0;  // of the error by the distance
      for (size_t t = 0; t < targets_; ++t)
        slope -= 2 * (guess[t] - y_[i * targets_ + t]) * (y_[j * targets_ + t] - guess[t]);
      slope *= weight[j] / double(targets_);
      for (int k = 0; k < width_; ++k) out[k] += slope * scale[k] * apart(i, j, k);
    }
  }

 private:
  static constexpr double kNegligible = 1e-5;
  double apart(size_t i, size_t j, int k) const {
    const double d = x_[i * width_ + k] - x_[j * width_ + k];
    return d * d;
  }

  std::span<const float> x_;
  int width_;
  size_t targets_, count_;
  std::vector<float> y_;  // [state][target]
};

}  // namespace

Targets relevance_targets(const Pomdp& model, ConstRecords states, RngKey key, ThreadPool& pool,
                          const Stop& stop) {
  Targets targets(kControllers);
  pool.for_chunks(kControllers, 1, [&](size_t c, size_t, size_t) {
    targets[c] = random_returns(model, states, key.fold("returns").fold(c), stop);
  });
  if (model.has(Capability::kLikelihood)) {
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

std::vector<float> relevance_by_trees(std::span<const float> x, int width, const Targets& targets,
                                      RngKey key, ThreadPool& pool, const Stop& stop) {
  std::vector<std::vector<double>> gains(targets.size() * kTrees);
  pool.for_chunks(gains.size(), 1, [&](size_t i, size_t, size_t) {
    throw_if_stopped(stop);
    gains[i] = Tree(x, width, targets[i / kTrees], Rng(key, i)).gain();
  });
  std::vector<double> sum(width, 0);
  for (const std::vector<double>& gain : gains)
    for (int k = 0; k < width; ++k) sum[k] += gain[k];
  std::vector<float> relevance;
  for (double s : sum) relevance.push_back(static_cast<float>(std::sqrt(s)));
  divide_by_largest(relevance);
  return relevance;
}

std::vector<float> relevance_by_gradient(std::span<const float> x, int width,
                                         const Targets& targets, ThreadPool& pool,
                                         const Stop& stop) {
  const LeaveOneOut error(x, width, targets);
  std::vector<double> log_scale(width, std::log(error.first_scale())), scale(width);
  std::vector<double> mean(width, 0), square(width, 0);  // of Adam
  constexpr size_t kGrain = 32;
  for (int epoch = 1; epoch <= kEpochs; ++epoch) {
    for (int k = 0; k < width; ++k) scale[k] = std::exp(log_scale[k]);
    std::vector<std::vector<double>> parts(ThreadPool::num_chunks(error.count(), kGrain));
    pool.for_chunks(error.count(), kGrain, [&](size_t chunk, size_t begin, size_t end) {
      throw_if_stopped(stop);
      parts[chunk].assign(width, 0);
      for (size_t i = begin; i < end; ++i) error.add_gradient(i, scale, parts[chunk]);
    });
    for (int k = 0; k < width; ++k) {
      double slope = 0;
      for (const std::vector<double>& part : parts) slope += part[k];
      mean[k] = 0.9 * mean[k] + 0.1 * slope;
      square[k] = 0.99 * square[k] + 0.01 * slope * slope;
      const double step = mean[k] / (1 - std::pow(0.9, epoch));
      log_scale[k] -= kRate * step / (std::sqrt(square[k] / (1 - std::pow(0.99, epoch))) + 1e-9);
    }
  }
  std::vector<float> relevance;
  for (double l : log_scale) relevance.push_back(static_cast<float>(std::exp(l / 2)));
  divide_by_largest(relevance);
  return relevance;
}

}  // namespace penumbra::anchors
