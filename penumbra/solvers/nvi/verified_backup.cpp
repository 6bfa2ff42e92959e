#include "penumbra/solvers/nvi/verified_backup.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "penumbra/base/error.h"

namespace penumbra::nvi {

// Candidates, their returns on common particles, and what their networks promise. Both are
// estimates of the same differences: returns without bias but with noise, promises without noise
// but off by an unknown amount. They are weighed against each other by how far off each was seen
// to be over all groups of the backup (an empirical Bayes estimate).
struct VerifiedBackup::Ranking {
  std::vector<int> node;
  std::vector<double> sum;      // of weight times return
  std::vector<double> promise;  // mean network value; NaN: no network
  double weight = 0;            // of the particles so far
  double squares = 0;           // of their weights
  double spread = 0;            // weighted variance over candidates, summed over particles

  void start(std::vector<int> nodes) {
    node = std::move(nodes);
    sum.assign(node.size(), 0.0);
    promise.assign(node.size(), std::nan(""));
  }
  // The returns of one particle, one per candidate.
  void add(double particle_weight, std::span<const float> returns) {
    weight += particle_weight;
    squares += particle_weight * particle_weight;
    double mean = 0, square = 0;
    for (size_t c = 0; c < returns.size(); ++c) {
      sum[c] += particle_weight * returns[c];
      mean += returns[c];
      square += double(returns[c]) * returns[c];
    }
    const auto n = static_cast<double>(returns.size());
    spread += particle_weight * std::max(0.0, square / n - mean / n * mean / n);
  }

  bool empty() const { return node.empty() || weight <= 0; }
  double mean(size_t c) const { return sum[c] / weight; }
  double mean_of_means() const {
    return std::accumulate(sum.begin(), sum.end(), 0.0) / weight / static_cast<double>(sum.size());
  }
  // The variance of a mean, relative to those of the other candidates.
  double noise() const {
    const double centre = mean_of_means();
    double between = 0;
    for (size_t c = 0; c < sum.size(); ++c) between += (mean(c) - centre) * (mean(c) - centre);
    between /= static_cast<double>(sum.size());
    return std::max(0.0, spread / weight - between) * squares / (weight * weight);
  }
  // What to add to promises to bring them to the level of the returns.
  double level() const {
    double difference = 0;
    int known = 0;
    for (size_t c = 0; c < node.size(); ++c) {
      if (std::isnan(promise[c])) continue;
      difference += mean(c) - promise[c];
      ++known;
    }
    return known ? difference / known : 0;
  }
  // The mean squared error of promised differences, noise taken off. Weighs `weight`.
  double promise_error() const {
    const double shift = level();
    double error = 0;
    int known = 0;
    for (size_t c = 0; c < node.size(); ++c) {
      if (std::isnan(promise[c])) continue;
      const double d = mean(c) - promise[c] - shift;
      error += d * d;
      ++known;
    }
    return known > 1 ? error / (known - 1) - noise() : std::nan("");
  }
  double estimate(size_t c, double promise_variance) const {
    const double own = noise(), trust = own / (own + promise_variance + 1e-12);
    const double prior = std::isnan(promise[c]) ? mean_of_means() : promise[c] + level();
    return (1 - trust) * mean(c) + trust * prior;
  }

  // Best first; ties in the order given.
  void keep_best(size_t count, double promise_variance) {
    if (empty()) return;
    std::vector<double> value(node.size());
    for (size_t c = 0; c < node.size(); ++c) value[c] = estimate(c, promise_variance);
    std::vector<int> order(node.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return value[a] > value[b]; });
    if (order.size() > count) order.resize(count);
    Ranking kept;
    for (int i : order) {
      kept.node.push_back(node[i]);
      kept.sum.push_back(sum[i]);
      kept.promise.push_back(promise[i]);
    }
    kept.weight = weight, kept.squares = squares, kept.spread = spread;
    *this = std::move(kept);
  }
};

struct VerifiedBackup::Branch {
  int action = -1;
  std::vector<int> successor;       // per observation; -1: not chosen yet
  std::vector<Ranking> candidates;  // per observation
  // With a likelihood, P(o | s', a): a particle speaks for all observations that it may cause.
  struct Chance {
    int seen;
    float probability;
  };
  std::vector<Chance> chances;
  std::vector<size_t> first_chance;  // particle i has chances [first_chance[i], [i + 1])
  // The last simulation of this action.
  RecordBuffer next;
  std::vector<int> seen;
  std::vector<float> reward;
  std::vector<uint8_t> ended;
  double value = 0;  // the last estimate

  std::span<const Chance> chances_of(size_t i) const {
    return std::span(chances).subspan(first_chance[i], first_chance[i + 1] - first_chance[i]);
  }
};

// Returns per particle, of each branch and each existing node.
struct VerifiedBackup::Scores {
  std::vector<std::vector<float>> branch, existing;
};

namespace {

double mean(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void sort_unique(std::vector<int>& nodes) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

constexpr double kLeastGain = 1e-4;  // smaller ones are not worth a node

struct Gain {
  double mean, error;
};

// Mean and standard error of a - b over common random numbers.
Gain paired_gain(const std::vector<float>& a, const std::vector<float>& b) {
  const double n = static_cast<double>(a.size());
  double sum = 0, squares = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double d = double(a[i]) - b[i];
    sum += d;
    squares += d * d;
  }
  const double average = sum / n;
  return {average, std::sqrt(std::max(0.0, squares / n - average * average) / n)};
}

int same_node(const Fsc& fsc, int action, const std::vector<int>& successor) {
  for (int node = 0; node < fsc.num_nodes(); ++node)
    if (fsc.action[node] == action &&
        std::equal(successor.begin(), successor.end(),
                   fsc.edges.begin() + static_cast<long>(node) * fsc.num_observations))
      return node;
  return -1;
}

}  // namespace

VerifiedBackup::VerifiedBackup(const Pomdp& model, const BackupOptions& options,
                               const Library& library, Rollouts& rollouts)
    : model_(model),
      options_(options),
      library_(library),
      rollouts_(rollouts),
      wanted_(model.state_size()),
      buffers_(model, options.particles(model.facts().num_observations)) {}

bool VerifiedBackup::weighted() const {
  return options_.weigh_from > 0 && model_.facts().num_observations >= options_.weigh_from &&
         model_.has(Capability::kLikelihood);
}

void VerifiedBackup::simulate(Branch& branch, ConstRecords states, RngKey key) {
  const size_t n = states.count;
  const std::vector<int> actions(n, branch.action);
  const StepResults out = buffers_.results(n);
  model_.step(states, std::span<const int>(actions), {key.fold("backup step")}, out);
  steps_ += n;
  branch.next = RecordBuffer(model_.state_size(), n);
  std::memcpy(branch.next.view().data, out.next.data, n * model_.state_size());
  branch.reward.assign(out.reward.begin(), out.reward.end());
  branch.ended.assign(out.ended.begin(), out.ended.end());
  branch.seen.resize(n);
  for (size_t i = 0; i < n; ++i) branch.seen[i] = index_of(out.seen, i);
}

// Candidates: by network and by birth, the current node and its successors, and the hint.
void VerifiedBackup::propose(const Fsc& fsc, ConstRecords states, int current, const Hint& hint,
                             std::vector<Branch>& branches, Ranking& existing) {
  const int observations = fsc.num_observations;
  RecordBuffer rows(model_.state_size());
  rows.append(states);
  std::vector<int32_t> group(states.count, 0);
  for (size_t b = 0; b < branches.size(); ++b) {
    rows.append(branches[b].next);
    for (size_t i = 0; i < states.count; ++i)
      group.push_back(
          branches[b].ended[i] ? -1 : 1 + static_cast<int>(b) * observations + branches[b].seen[i]);
  }
  const PhaseTimer timer(times_.predict);
  const Prospects found = library_.candidates(
      rows, group, 1 + static_cast<int>(branches.size()) * observations, newborns_);
  auto enter = [&](Ranking& ranking, std::vector<int> nodes, int group_number) {
    sort_unique(nodes);
    ranking.start(std::move(nodes));
    for (size_t c = 0; c < ranking.node.size() && options_.use_promises; ++c)
      ranking.promise[c] = found.promise_of(group_number, ranking.node[c]);
  };
  std::vector<int> all = found.nodes[0];
  if (current >= 0) all.push_back(current);
  enter(existing, std::move(all), 0);
  for (size_t b = 0; b < branches.size(); ++b) {
    Branch& branch = branches[b];
    branch.successor.assign(observations, -1);
    branch.candidates.assign(observations, {});
    weigh(branch, observations);
    // The particle that makes each observation likeliest: what it did cause has a similar belief.
    std::vector<float> most(observations, 0);
    std::vector<int> similar(observations, -1);
    for (size_t i = 0; i < states.count; ++i) {
      for (const auto& chance : branch.chances_of(i)) {
        if (chance.probability <= most[chance.seen]) continue;
        most[chance.seen] = chance.probability;
        similar[chance.seen] = branch.seen[i];
      }
    }
    for (int o = 0; o < observations; ++o) {
      if (similar[o] < 0) continue;
      const int own = 1 + static_cast<int>(b) * observations + o;
      std::vector<int> nodes = found.nodes[own];
      const std::vector<int>& others = found.nodes[own - o + similar[o]];
      if (similar[o] != o) nodes.insert(nodes.end(), others.begin(), others.end());
      if (current >= 0) {
        nodes.push_back(current);
        nodes.push_back(fsc.next(current, o));
      }
      if (hint.action == branch.action && hint.seen == o && hint.node >= 0)
        nodes.push_back(hint.node);
      enter(branch.candidates[o], std::move(nodes), own);
    }
  }
}

// What each particle may have caused to be seen: one thing with certainty, or by likelihood.
// Observations far less likely than the likeliest are left out.
void VerifiedBackup::weigh(Branch& branch, int observations) {
  constexpr double kNegligible = 0.03;
  const size_t n = branch.next.count();
  branch.chances.clear();
  branch.first_chance.assign(1, 0);
  std::vector<double> likelihood(weighted() ? observations * n : 0);
  for (int o = 0; weighted() && o < observations; ++o)
    model_.likelihood(reinterpret_cast<const std::byte*>(&o),
                      reinterpret_cast<const std::byte*>(&branch.action), branch.next,
                      std::span<double>(likelihood).subspan(o * n, n));
  for (size_t i = 0; i < n; ++i) {
    double most = 0, total = 0;
    for (size_t at = i; at < likelihood.size(); at += n) most = std::max(most, likelihood[at]);
    for (size_t at = i; at < likelihood.size(); at += n)
      if (likelihood[at] > kNegligible * most) total += likelihood[at];
    if (!branch.ended[i] && !(total > 0)) branch.chances.push_back({branch.seen[i], 1.0f});
    for (int o = 0; !branch.ended[i] && total > 0 && o < observations; ++o)
      if (const double p = likelihood[o * n + i]; p > kNegligible * most)
        branch.chances.push_back({o, static_cast<float>(p / total)});
    branch.first_chance.push_back(branch.chances.size());
  }
}

// Adds the returns of particles [begin, end) to the sums of every candidate still in the race.
void VerifiedBackup::race(const Fsc& fsc, ConstRecords states, size_t begin, size_t end,
                          std::vector<Branch>& branches, Ranking& existing, RngKey key) {
  wanted_.clear();
  std::vector<int> number;  // of every rollout, in the order of the loops below
  for (size_t i = begin; i < end; ++i)
    for (int node : existing.node) number.push_back(wanted_.want(states.at(i), node, i));
  for (const Branch& branch : branches)
    for (size_t i = begin; i < end; ++i)
      for (const auto& chance : branch.chances_of(i))
        for (int node : branch.candidates[chance.seen].node)
          number.push_back(wanted_.want(branch.next.at(i), node, i));
  wanted_.run(rollouts_, fsc, key);
  size_t at = 0;
  std::vector<float> returns;
  auto add = [&](Ranking& ranking, double weight) {
    returns.resize(ranking.node.size());
    for (float& r : returns) r = wanted_.value(number[at++]);
    if (!returns.empty()) ranking.add(weight, returns);
  };
  for (size_t i = begin; i < end; ++i) add(existing, 1);
  for (Branch& branch : branches)
    for (size_t i = begin; i < end; ++i)
      for (const auto& chance : branch.chances_of(i))
        add(branch.candidates[chance.seen], chance.probability);
}

// Takes the best successor for every (action, observation) and ranks `existing`, best first. After
// a part of the particles only the leading candidates go on.
void VerifiedBackup::choose(const Fsc& fsc, ConstRecords states, int current,
                            std::vector<Branch>& branches, Ranking& existing, RngKey key) {
  const PhaseTimer timer(times_.simulate);
  const size_t n = states.count, heat = n / 4;
  race(fsc, states, 0, heat, branches, existing, key);
  const double variance = promise_variance(branches, existing);
  existing.keep_best(options_.finalists, variance);
  for (Branch& branch : branches)
    for (Ranking& ranking : branch.candidates) ranking.keep_best(options_.finalists, variance);
  race(fsc, states, heat, n, branches, existing, key);
  existing.keep_best(options_.finalists, variance);
  for (Branch& branch : branches) {
    double later = 0;
    for (int o = 0; o < fsc.num_observations; ++o) {
      Ranking& ranking = branch.candidates[o];
      if (ranking.empty()) {
        // Did not occur: goes where the current node sends it, or to the best node.
        branch.successor[o] = current >= 0 ? fsc.next(current, o) : existing.node.front();
        continue;
      }
      ranking.keep_best(1, variance);
      branch.successor[o] = ranking.node[0];
      later += ranking.sum[0];
    }
    const double reward = std::accumulate(branch.reward.begin(), branch.reward.end(), 0.0);
    branch.value = (reward + model_.facts().discount * later) / static_cast<double>(n);
  }
}

// How far promised differences between candidates are off, as a variance: over all groups.
double VerifiedBackup::promise_variance(const std::vector<Branch>& branches,
                                        const Ranking& existing) const {
  double total = 0, weight = 0;
  auto add = [&](const Ranking& ranking) {
    if (ranking.empty()) return;
    const double error = ranking.promise_error();
    if (std::isnan(error)) return;
    total += ranking.weight * error;
    weight += ranking.weight;
  };
  add(existing);
  for (const Branch& branch : branches)
    for (const Ranking& ranking : branch.candidates) add(ranking);
  return weight > 0 ? std::max(0.0, total / weight) : HUGE_VAL;
}

VerifiedBackup::Scores VerifiedBackup::score(const Fsc& fsc, ConstRecords states,
                                             std::vector<Branch>& branches,
                                             std::span<const int> existing, RngKey key) {
  const PhaseTimer timer(times_.verify);
  const size_t n = states.count;
  wanted_.clear();
  std::vector<int> number;
  for (Branch& branch : branches) {
    simulate(branch, states, key);
    for (size_t i = 0; i < n; ++i)
      number.push_back(branch.ended[i]
                           ? -1
                           : wanted_.want(branch.next.at(i), branch.successor[branch.seen[i]], i));
  }
  for (int node : existing)
    for (size_t i = 0; i < n; ++i) number.push_back(wanted_.want(states.at(i), node, i));
  wanted_.run(rollouts_, fsc, key);
  const auto discount = static_cast<float>(model_.facts().discount);
  Scores scores;
  size_t at = 0;
  for (Branch& branch : branches) {
    std::vector<float>& value = scores.branch.emplace_back(branch.reward);
    for (size_t i = 0; i < n; ++i, ++at)
      if (number[at] >= 0) value[i] += discount * wanted_.value(number[at]);
    branch.value = mean(value);
  }
  for (size_t e = 0; e < existing.size(); ++e) {
    std::vector<float>& value = scores.existing.emplace_back(n);
    for (size_t i = 0; i < n; ++i) value[i] = wanted_.value(number[at++]);
  }
  return scores;
}

namespace {

// Keeps the `count` branches of the highest value, best first.
template <class Branches>
void keep_best(Branches& branches, size_t count) {
  std::stable_sort(branches.begin(), branches.end(),
                   [](const auto& a, const auto& b) { return a.value > b.value; });
  if (branches.size() > count) branches.resize(count);
}

}  // namespace

BackupResult VerifiedBackup::run(Fsc& fsc, ConstRecords states, int current,
                                 std::span<const int> actions, const Hint& hint, double z,
                                 RngKey key) {
  const size_t chosen = options_.choosing(fsc.num_observations);
  const ConstRecords first = states.sub(0, chosen), second = states.sub(chosen, options_.check),
                     third = states.sub(chosen + options_.check, options_.score);
  std::vector<Branch> branches(actions.size());
  for (size_t b = 0; b < branches.size(); ++b) {
    branches[b].action = actions[b];
    simulate(branches[b], first, key.fold("choose"));
  }
  Ranking ranked;
  propose(fsc, first, current, hint, branches, ranked);
  PENUMBRA_CHECK(!ranked.node.empty(), "a backup needs at least one node in the controller");
  choose(fsc, first, current, branches, ranked, key.fold("choose"));
  std::vector<int> existing = ranked.node;
  if (existing.size() > 3) existing.resize(3);
  keep_best(branches, options_.checked_actions);

  Scores scores = score(fsc, second, branches, existing, key.fold("check"));
  keep_best(branches, options_.scored_actions);
  size_t best_existing = 0;
  for (size_t e = 1; e < existing.size(); ++e)
    if (mean(scores.existing[e]) > mean(scores.existing[best_existing])) best_existing = e;
  existing = {existing[best_existing]};
  if (current >= 0 && current != existing[0]) existing.push_back(current);

  scores = score(fsc, third, branches, existing, key.fold("score"));
  size_t b = 0, e = 0;
  for (size_t i = 1; i < branches.size(); ++i)
    if (branches[i].value > branches[b].value) b = i;
  for (size_t i = 1; i < existing.size(); ++i)
    if (mean(scores.existing[i]) > mean(scores.existing[e])) e = i;

  BackupResult result;
  const Gain over_existing = paired_gain(scores.branch[b], scores.existing[e]);
  const bool take = over_existing.mean > z * over_existing.error + kLeastGain;
  if (current >= 0) {
    // `current` is the last of the existing ones.
    const Gain gain =
        paired_gain(take ? scores.branch[b] : scores.existing[e], scores.existing.back());
    result.gain = gain.mean;
    result.gain_error = gain.error;
  }
  if (!take) {
    result.node = existing[e];
    result.value = mean(scores.existing[e]);
    return result;
  }
  result.value = branches[b].value;
  result.node = same_node(fsc, branches[b].action, branches[b].successor);  // NodeIsUnique
  if (result.node >= 0) return result;
  result.is_new = true;
  result.node = fsc.add_node(branches[b].action);
  for (int o = 0; o < fsc.num_observations; ++o)
    fsc.set_edge(result.node, o, branches[b].successor[o]);
  const size_t rows = std::min<size_t>(options_.training_states, third.count);
  result.training.states = RecordBuffer(model_.state_size());
  result.training.states.append(third.sub(0, rows));
  result.training.returns.assign(scores.branch[b].begin(), scores.branch[b].begin() + rows);
  return result;
}

BackupResult VerifiedBackup::best_existing(const Fsc& fsc, ConstRecords states, int current,
                                           RngKey key) {
  const size_t chosen = options_.choosing(fsc.num_observations);
  std::vector<Branch> none;
  Ranking ranked;
  propose(fsc, states.sub(0, chosen), current, {}, none, ranked);
  PENUMBRA_CHECK(!ranked.node.empty(), "a backup needs at least one node in the controller");
  choose(fsc, states.sub(0, chosen), current, none, ranked, key.fold("choose"));
  std::vector<int> existing = ranked.node;
  if (existing.size() > 3) existing.resize(3);
  const Scores scores =
      score(fsc, states.sub(chosen, options_.check), none, existing, key.fold("check"));
  BackupResult result;
  for (size_t e = 0; e < existing.size(); ++e) {
    const double value = mean(scores.existing[e]);
    if (e > 0 && value <= result.value) continue;
    result.node = existing[e];
    result.value = value;
  }
  return result;
}

}  // namespace penumbra::nvi
