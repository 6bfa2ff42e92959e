#include "penumbra/model/grow_trees.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>

#include "penumbra/base/error.h"
#include "penumbra/model/uniform_action.h"

namespace penumbra {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr size_t kMostTrees = 8;         // further actions take the tree that fits them best
constexpr size_t kSampledActions = 64;   // of a box
constexpr size_t kComparedStates = 256;  // on which actions are compared,
constexpr size_t kComparedBounds = 5;    // at so many bounds per coordinate
constexpr double kSame = 1e-9;           // largest difference between chances that are the same
constexpr double kNegligible = 1e-7;     // chance of a leaf given a state
constexpr size_t kMdpSteps = 4;          // that show what an action is worth in a known state
constexpr double kAims = 0.8;            // share of the actions of a walk with an aim

double x_log_x(double x) {
  return x > 0 ? x * std::log(x) : 0;
}

// What an action leads to from some beliefs.
struct Outcomes {
  RecordBuffer next;        // states, as many from every belief
  std::vector<int> belief;  // that each of them is from, ascending
  std::vector<float> seen;  // row-major observations, more than there are states
};

class Grower {
 public:
  Grower(const Pomdp& model, const std::byte* action, const Outcomes& outcomes,
         const TreeOptions& options)
      : model_(model),
        action_(action),
        outcomes_(outcomes),
        options_(options),
        width_(model.seen_size() / sizeof(float)) {}

  ObservationTree grow() {
    if (outcomes_.belief.empty()) return ObservationTree();
    Leaf root;
    root.low.assign(width_, -kInfinity);
    root.high.assign(width_, kInfinity);
    for (size_t j = 0; j < outcomes_.belief.size(); ++j)
      root.states.push_back({static_cast<int>(j), 1.0});
    root.seen.resize(outcomes_.seen.size() / width_);
    std::iota(root.seen.begin(), root.seen.end(), 0);
    leaves_.push_back(std::move(root));
    find_split(0);
    while (leaves_.size() < static_cast<size_t>(options_.num_leaves) && !open_.empty()) {
      const int leaf = -open_.top().second;
      open_.pop();
      split(leaf);
    }
    return ObservationTree(std::move(splits_));
  }

 private:
  struct Reach {
    int state;
    double chance;  // of the leaf given the state
  };
  struct Leaf {
    std::vector<float> low, high;  // per coordinate
    std::vector<Reach> states;     // that may lead here
    std::vector<int> seen;         // observations that fell here
    size_t coordinate = 0;         // of its best split
    float bound = 0;
    int parent = -1;  // split
    bool above = false;
  };

  // Between different values that were seen, at quantiles and above the lowest.
  std::vector<float> bounds_to_try(const Leaf& leaf, size_t coordinate) {
    values_.clear();
    for (int i : leaf.seen) values_.push_back(outcomes_.seen[i * width_ + coordinate]);
    std::sort(values_.begin(), values_.end());
    std::vector<float> bounds;
    for (int q = 0; q <= options_.quantiles && !values_.empty(); ++q) {
      const float value = values_[values_.size() * q / (options_.quantiles + 1)];
      const auto above = std::upper_bound(values_.begin(), values_.end(), value);
      if (above == values_.end()) break;
      const float middle = 0.5f * (value + *above);
      bounds.push_back(middle > value ? middle : *above);  // neighbours have no middle
    }
    bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
    return bounds;
  }

  RecordBuffer states_of(const Leaf& leaf) const {
    RecordBuffer states(model_.state_size(), leaf.states.size());
    for (size_t i = 0; i < leaf.states.size(); ++i)
      states.copy_from(i, outcomes_.next.at(leaf.states[i].state));
    return states;
  }
  std::vector<double> cumulative(float bound, size_t c, const RecordBuffer& states) const {
    std::vector<double> out(states.count(), bound < 0 ? 0.0 : 1.0);
    if (std::isfinite(bound)) model_.cumulative(bound, static_cast<int>(c), action_, states, out);
    return out;
  }
  // The share of the leaf's chance that is below the bound, per state.
  static std::vector<double> shares(const std::vector<double>& low, const std::vector<double>& at,
                                    const std::vector<double>& high) {
    std::vector<double> out(at.size(), 0.5);
    for (size_t i = 0; i < out.size(); ++i)
      if (high[i] > low[i]) out[i] = std::clamp((at[i] - low[i]) / (high[i] - low[i]), 0.0, 1.0);
    return out;
  }

  // What the split adds to I(S; leaf).
  double gain(const Leaf& leaf, const std::vector<double>& share) const {
    double sum = 0;
    for (size_t i = 0; i < leaf.states.size();) {
      const int belief = outcomes_.belief[leaf.states[i].state];
      double below = 0, above = 0, known = 0;
      for (; i < leaf.states.size() && outcomes_.belief[leaf.states[i].state] == belief; ++i) {
        const double p = leaf.states[i].chance, left = p * share[i], right = p - left;
        below += left;
        above += right;
        known += x_log_x(left) + x_log_x(right) - x_log_x(p);
      }
      sum += known - x_log_x(below) - x_log_x(above) + x_log_x(below + above);
    }
    return sum / static_cast<double>(outcomes_.belief.size());
  }

  void find_split(int index) {
    Leaf& leaf = leaves_[index];
    const RecordBuffer states = states_of(leaf);
    double best = options_.least_gain;
    bool found = false;
    for (size_t c = 0; c < width_; ++c) {
      const std::vector<float> bounds = bounds_to_try(leaf, c);
      if (bounds.empty()) continue;
      const std::vector<double> low = cumulative(leaf.low[c], c, states);
      const std::vector<double> high = cumulative(leaf.high[c], c, states);
      for (float bound : bounds) {
        const double g = gain(leaf, shares(low, cumulative(bound, c, states), high));
        if (g <= best) continue;
        best = g;
        found = true;
        leaf.coordinate = c;
        leaf.bound = bound;
      }
    }
    if (found) open_.push({best, -index});
  }

  // The leaf keeps the side below; the side above is the last leaf.
  void split(int index) {
    const int number = static_cast<int>(splits_.size()), last = static_cast<int>(leaves_.size());
    const Leaf whole = std::move(leaves_[index]);
    const size_t c = whole.coordinate;
    splits_.push_back({static_cast<int>(c), whole.bound, ~index, ~last});
    if (whole.parent >= 0) {
      ObservationTree::Split& parent = splits_[whole.parent];
      (whole.above ? parent.above : parent.below) = number;
    }
    const RecordBuffer states = states_of(whole);
    const std::vector<double> share =
        shares(cumulative(whole.low[c], c, states), cumulative(whole.bound, c, states),
               cumulative(whole.high[c], c, states));
    Leaf below{whole.low, whole.high, {}, {}, 0, 0, number, false};
    Leaf above{whole.low, whole.high, {}, {}, 0, 0, number, true};
    below.high[c] = above.low[c] = whole.bound;
    for (size_t i = 0; i < share.size(); ++i) {
      const auto [state, chance] = whole.states[i];
      const double left = chance * share[i], right = chance - left;
      if (left > kNegligible) below.states.push_back({state, left});
      if (right > kNegligible) above.states.push_back({state, right});
    }
    for (int i : whole.seen)
      (outcomes_.seen[i * width_ + c] < whole.bound ? below : above).seen.push_back(i);
    leaves_[index] = std::move(below);
    leaves_.push_back(std::move(above));
    find_split(index);
    find_split(last);
  }

  const Pomdp& model_;
  const std::byte* action_;
  const Outcomes& outcomes_;
  const TreeOptions& options_;
  size_t width_;
  std::vector<Leaf> leaves_;
  std::vector<ObservationTree::Split> splits_;
  std::priority_queue<std::pair<double, int>> open_;  // gain, and minus the leaf
  std::vector<float> values_;
};

// Beliefs that random walks lead to, and the trees that they ask for.
class TreeMaker {
 public:
  TreeMaker(const Pomdp& model, const TreeOptions& options)
      : model_(model),
        options_(options),
        key_(RngKey::from_seed(options.seed).fold("observation trees")),
        width_(model.seen_size() / sizeof(float)),
        actions_(model.action_size()) {
    list_actions();
    for (int b = 0; b < options.beliefs; ++b) walk(b);
  }

  ActionTrees make() {
    ActionTrees out;
    const std::vector<size_t> leaders = group(out.tree_of);
    for (size_t leader : leaders) {
      const Outcomes outcomes = outcomes_of(out.tree_of, out.tree_of[leader]);
      out.trees.push_back(Grower(model_, actions_.at(leader), outcomes, options_).grow());
    }
    if (model_.facts().num_actions > 0) return out;
    const Facts& facts = model_.facts();
    for (size_t d = 0; d < facts.action_low.size(); ++d)
      out.units.push_back(std::max(facts.action_high[d] - facts.action_low[d], 1e-30f));
    const auto* values = reinterpret_cast<const float*>(actions_.at(0));
    out.sampled.assign(values, values + actions_.count() * out.units.size());
    return out;
  }

 private:
  void list_actions() {
    const Facts& facts = model_.facts();
    actions_.resize(facts.num_actions > 0 ? facts.num_actions : kSampledActions);
    for (size_t i = 0; i < actions_.count(); ++i) {
      if (facts.num_actions > 0) {
        actions_.as<int>(i) = static_cast<int>(i);
        continue;
      }
      Rng rng(key_.fold("action"), i);
      uniform_action(facts, rng, actions_.at(i));
    }
  }

  struct Steps {
    RecordBuffer action;
    StepBuffers buffers;
    StepResults out;
  };
  // The same action from many states.
  Steps step(const RecordBuffer& from, const std::byte* action, RngKey key) const {
    Steps s{
        RecordBuffer(model_.action_size(), from.count()), StepBuffers(model_, from.count()), {}};
    for (size_t i = 0; i < from.count(); ++i) s.action.copy_from(i, action);
    s.out = s.buffers.results(from.count());
    model_.step(from, s.action, {key}, s.out);
    return s;
  }

  // Draws of those with weight, with replacement; nothing where there are none.
  RecordBuffer draw(const RecordBuffer& states, const std::vector<double>& weight, size_t count,
                    RngKey key) const {
    RecordBuffer out(model_.state_size());
    if (!(std::accumulate(weight.begin(), weight.end(), 0.0) > 0)) return out;
    Rng rng(key, 0);
    std::vector<double> sums(weight.size());
    std::partial_sum(weight.begin(), weight.end(), sums.begin());
    for (size_t i = 0; i < count; ++i) {
      const double at = rng.uniform() * sums.back();
      const size_t chosen = std::upper_bound(sums.begin(), sums.end(), at) - sums.begin();
      out.push_back(states.at(std::min(chosen, states.count() - 1)));
    }
    return out;
  }

  // The best action of some for a state that is known from now on.
  const std::byte* by_mdp_value(const std::byte* state, RngKey key) const {
    RecordBuffer from(model_.state_size(), kMdpSteps);
    for (size_t i = 0; i < kMdpSteps; ++i) from.copy_from(i, state);
    std::vector<double> value(kMdpSteps);
    size_t best = 0;
    double most = -HUGE_VAL;
    for (size_t a = 0; a < actions_.count(); ++a) {
      const Steps s = step(from, actions_.at(a), key);
      model_.mdp_value(s.out.next, value);
      double sum = 0;
      for (size_t i = 0; i < kMdpSteps; ++i)
        sum += s.out.reward[i] + model_.facts().discount * (s.out.ended[i] ? 0 : value[i]);
      if (sum <= most) continue;
      most = sum;
      best = a;
    }
    return actions_.at(best);
  }

  // Particles are weighed by what the first of them hears. Actions are random, in every other walk
  // mostly the best for this first one: so it comes to where rewards are.
  void walk(int b) {
    const RngKey key = key_.fold("walk").fold(b);
    const size_t n = options_.particles;
    RecordBuffer states(model_.state_size(), n);
    model_.sample_initial({key}, states);
    const bool weigh = model_.has(Capability::kLikelihood);
    const bool aims = b % 2 == 1 && model_.has(Capability::kMdpValue);
    const int length = options_.longest_walk * b / std::max(1, options_.beliefs);
    for (int t = 0; t < length; ++t) {
      const RngKey now = key.fold(t);
      Rng rng(now.fold("action"), 0);
      const std::byte* action = actions_.at(rng.below(static_cast<uint32_t>(actions_.count())));
      if (aims && rng.bernoulli(kAims)) action = by_mdp_value(states.at(0), now.fold("aim"));
      Steps s = step(states, action, now.fold("step"));
      if (s.out.ended[0]) break;  // the belief before it stays
      std::vector<double> weight(n, 1.0);
      if (weigh) model_.likelihood(s.out.seen.at(0), action, s.out.next, weight);
      for (size_t i = 0; i < n; ++i)
        if (s.out.ended[i]) weight[i] = 0;
      RecordBuffer drawn = draw(s.buffers.next, weight, n, now.fold("draw"));
      if (drawn.empty()) break;
      states = std::move(drawn);
      states.copy_from(0, s.out.next.at(0));
    }
    beliefs_.push_back(std::move(states));
  }

  // From every belief one of the actions of a group.
  Outcomes outcomes_of(const std::vector<int>& tree_of, int tree) const {
    std::vector<size_t> members;
    for (size_t a = 0; a < tree_of.size(); ++a)
      if (tree_of[a] == tree) members.push_back(a);
    Outcomes out{RecordBuffer(model_.state_size()), {}, {}};
    for (size_t b = 0; b < beliefs_.size(); ++b) {
      const RngKey key = key_.fold("outcomes").fold(tree).fold(b);
      Rng rng(key.fold("action"), 0);
      const size_t action = members[rng.below(static_cast<uint32_t>(members.size()))];
      const size_t n = std::max(options_.states, options_.observations);
      const std::vector<double> same(beliefs_[b].count(), 1.0);
      const Steps s = step(draw(beliefs_[b], same, n, key), actions_.at(action), key.fold("step"));
      for (size_t i = 0, taken = 0; i < n; ++i) {
        if (s.out.ended[i]) continue;
        if (taken++ < static_cast<size_t>(options_.states)) {
          out.next.push_back(s.out.next.at(i));
          out.belief.push_back(static_cast<int>(b));
        }
        const auto* seen = reinterpret_cast<const float*>(s.out.seen.at(i));
        out.seen.insert(out.seen.end(), seen, seen + width_);
      }
    }
    return out;
  }

  // The first action of every group.
  std::vector<size_t> group(std::vector<int>& tree_of) const {
    std::vector<int> all(actions_.count(), 0);
    Outcomes some = outcomes_of(all, 0);
    if (some.next.count() > kComparedStates) {
      RecordBuffer spread(model_.state_size());
      for (size_t i = 0; i < kComparedStates; ++i)
        spread.push_back(some.next.at(i * some.next.count() / kComparedStates));
      some.next = std::move(spread);
    }
    std::vector<std::vector<double>> signature;  // of the leaders
    std::vector<size_t> leaders;
    for (size_t a = 0; a < actions_.count(); ++a) {
      std::vector<double> own = chances(actions_.at(a), some);
      size_t nearest = 0;
      double least = HUGE_VAL;
      for (size_t g = 0; g < leaders.size(); ++g) {
        double most = 0;
        for (size_t i = 0; i < own.size(); ++i)
          most = std::max(most, std::abs(own[i] - signature[g][i]));
        if (most >= least) continue;
        least = most;
        nearest = g;
      }
      if (least > kSame && leaders.size() < kMostTrees) {
        nearest = leaders.size();
        leaders.push_back(a);
        signature.push_back(std::move(own));
      }
      tree_of.push_back(static_cast<int>(nearest));
    }
    return leaders;
  }

  // P(O_c <= bound) for some bounds and states.
  std::vector<double> chances(const std::byte* action, const Outcomes& some) const {
    const size_t n = some.next.count(), rows = some.seen.size() / width_;
    std::vector<double> out, part(n);
    for (size_t c = 0; c < width_; ++c)
      for (size_t q = 0; q < kComparedBounds && rows > 0; ++q) {
        const float bound = some.seen[rows * q / kComparedBounds * width_ + c];
        model_.cumulative(bound, static_cast<int>(c), action, some.next, part);
        out.insert(out.end(), part.begin(), part.end());
      }
    return out;
  }

  const Pomdp& model_;
  TreeOptions options_;
  RngKey key_;
  size_t width_;
  RecordBuffer actions_;  // all, or samples of the box
  std::vector<RecordBuffer> beliefs_;
};

}  // namespace

ActionTrees grow_trees(const Pomdp& model, const TreeOptions& options) {
  require(model, Capability::kCumulative, "a tree of observations");
  if (model.facts().num_observations > 0)
    throw Error(model.facts().name + " has a finite set of observations: there is none to grow");
  return TreeMaker(model, options).make();
}

}  // namespace penumbra
