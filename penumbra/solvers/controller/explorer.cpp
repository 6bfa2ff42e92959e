#include "penumbra/solvers/controller/explorer.h"

#include <algorithm>

namespace penumbra::controller {
namespace {

constexpr int kFewActions = 10;       // up to this many, every action is looked through
constexpr double kPersistence = 0.8;  // chance to keep a random action one more step
constexpr int kLooks = 4;             // simulated observations per state without a likelihood
constexpr double kLookAround = 0.2;   // share of a box's first actions among those that are planned
constexpr size_t kPlannedStates = 16;  // of a belief, for a plan without observations

int best_of(std::span<const double> q, RngKey key) {
  const double best = *std::max_element(q.begin(), q.end());
  std::vector<int> ties;
  for (size_t a = 0; a < q.size(); ++a)
    if (q[a] >= best - 1e-6) ties.push_back(static_cast<int>(a));
  Rng rng(key.fold("tie"), 0);
  return ties[rng.below(static_cast<uint32_t>(ties.size()))];
}

}  // namespace

int Explorer::choose_planned(PathBelief& belief, Burst burst, RngKey key) {
  Rng rng(key.fold("around"), 0);
  if (rng.bernoulli(kLookAround)) return static_cast<int>(rng.below(stock_->num_first()));
  RecordBuffer states = belief.sample(kPlannedStates, key);
  if (burst == Burst::kThompson) {
    if (!belief.followed()) {
      belief.follow(key);
      plan_->forget();
    }
    states.resize(1);
    states.copy_from(0, belief.followed());
  }
  return stock_->append(plan_->next(states, key.fold("plan")));
}

int Explorer::choose(PathBelief& belief, Burst burst, int last_action, RngKey key) {
  const int num_actions = model_.facts().num_actions;
  if (burst == Burst::kPersistent) {
    Rng rng(key.fold("persistent"), 0);
    if (last_action >= 0 && rng.bernoulli(kPersistence)) return last_action;
    return static_cast<int>(rng.below(num_actions));
  }
  if (stock_) return choose_planned(belief, burst, key);
  const size_t n = num_states_, width = num_actions;
  RecordBuffer states = belief.sample(n, key);
  if (burst == Burst::kThompson) {
    if (!belief.followed()) belief.follow(key);
    states.copy_from(0, belief.followed());
  }
  std::vector<double> q(n * width), average(width, 0.0);
  std::vector<char> unchanged(width);
  mdp_q_values(model_, values_, states, key.fold("q"), q, unchanged);
  for (size_t i = 0; i < n; ++i)
    for (size_t a = 0; a < width; ++a) average[a] += q[i * width + a] / static_cast<double>(n);
  const int act = best_of(burst == Burst::kThompson ? std::span<const double>(q).first(width)
                                                    : std::span<const double>(average),
                          key);

  double best = average[act] + 1e-6;
  int choice = act;
  for (int a = 0; a < num_actions; ++a) {
    if (!unchanged[a] && num_actions > kFewActions) continue;
    const double worth = worth_of_looking(states, a, unchanged[a] ? q : std::vector<double>(), key);
    if (worth > best) {
      best = worth;
      choice = a;
    }
  }
  return choice;
}

double Explorer::worth_of_looking(ConstRecords states, int action, std::vector<double> q,
                                  RngKey key) const {
  const size_t n = states.count, width = model_.facts().num_actions;
  const int observations = model_.facts().num_observations;
  const std::vector<int> actions(n, action);
  StepBuffers buffers(model_, n);
  const StepResults out = buffers.results(n);
  std::vector<double> sums(observations * width, 0.0);  // of Q(s', .), per observation
  double reward = 0;
  auto add = [&](size_t i, int seen, double weight) {
    if (out.ended[i]) return;
    for (size_t a = 0; a < width; ++a) sums[seen * width + a] += weight * q[i * width + a];
  };
  // Without a likelihood a few simulated observations stand for their distribution.
  const int looks = use_likelihood_ ? 1 : kLooks;
  const bool unchanged = !q.empty();
  for (int look = 0; look < looks; ++look) {
    const RngKey look_key = key.fold("look").fold(action).fold(look);
    model_.step(states, std::span<const int>(actions), {look_key}, out);
    if (!unchanged) {
      std::vector<char> ignored(width);
      q.resize(n * width);
      mdp_q_values(model_, values_, out.next, look_key.fold("q"), q, ignored);
    }
    for (size_t i = 0; i < n; ++i) {
      reward += out.reward[i] / looks;
      if (!use_likelihood_) add(i, index_of(out.seen, i), 1.0 / looks);
    }
  }
  if (use_likelihood_) {
    std::vector<double> likelihood(n);
    for (int o = 0; o < observations; ++o) {
      model_.likelihood(reinterpret_cast<const std::byte*>(&o),
                        reinterpret_cast<const std::byte*>(&action), out.next, likelihood);
      for (size_t i = 0; i < n; ++i)
        if (likelihood[i] > 0) add(i, o, likelihood[i]);
    }
  }
  double later = 0;
  for (int o = 0; o < observations; ++o)
    later += *std::max_element(&sums[o * width], &sums[o * width] + width);
  return (reward + model_.facts().discount * later) / static_cast<double>(n);
}

}  // namespace penumbra::controller
