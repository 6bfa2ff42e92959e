#include "penumbra/solvers/controller/verified_backup.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "penumbra/base/error.h"
#include "penumbra/solvers/controller/paired_gain.h"

namespace penumbra::controller {

// Nodes and the sums of their returns on common particles.
struct VerifiedBackup::Ranking {
  std::vector<int> node;
  std::vector<double> sum;

  // Best first; ties in the order given.
  void keep_best(size_t count) {
    std::vector<int> order(node.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return sum[a] > sum[b]; });
    if (order.size() > count) order.resize(count);
    Ranking kept;
    for (int i : order) {
      kept.node.push_back(node[i]);
      kept.sum.push_back(sum[i]);
    }
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

constexpr size_t kRefineStates = 256;  // that actions around the best are compared on
constexpr int kGenerations = 3;        // of such actions
constexpr double kRefineFrom = 0.2;    // deviation of the first one, in widths of the box

double mean(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void sort_unique(std::vector<int>& nodes) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

}  // namespace

VerifiedBackup::VerifiedBackup(const Pomdp& model, const BackupOptions& options,
                               const Candidates& candidates, Rollouts& rollouts, ActionStock* stock)
    : model_(model),
      stock_(stock),
      options_(options),
      candidates_(candidates),
      rollouts_(rollouts),
      wanted_(model.state_size()),
      buffers_(model, options.particles(model.facts().num_observations)) {}

bool VerifiedBackup::weighted() const {
  const int observations = model_.facts().num_observations;
  return options_.weigh_from > 0 && observations >= options_.weigh_from &&
         observations <= options_.weigh_to && model_.has(Capability::kLikelihood);
}

void VerifiedBackup::simulate(Branch& branch, ConstRecords states, RngKey key) {
  const size_t n = states.count;
  const std::vector<int> actions(n, branch.action);
  const StepResults out = buffers_.results(n);
  model_.step(states, std::span<const int>(actions), {key.fold("backup step")}, out);
  work_.simulator_steps += static_cast<double>(n);
  branch.next = RecordBuffer(model_.state_size(), n);
  std::memcpy(branch.next.view().data, out.next.data, n * model_.state_size());
  branch.reward.assign(out.reward.begin(), out.reward.end());
  branch.ended.assign(out.ended.begin(), out.ended.end());
  branch.seen.resize(n);
  for (size_t i = 0; i < n; ++i) branch.seen[i] = index_of(out.seen, i);
}

// Candidates: those that are found for each belief, the current node and its successors, and the
// hint.
void VerifiedBackup::propose(const Fsc& fsc, ConstRecords states, int current, const Hint& hint,
                             std::vector<Branch>& branches, std::vector<int>& existing,
                             RngKey key) {
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
  const PhaseTimer timer(work_, Phase::kPredict);
  work_.network_evaluations += static_cast<double>(candidates_.network_evaluations(rows.count()));
  std::vector<uint64_t> id(rows.count());
  for (size_t i = 0; i < id.size(); ++i) id[i] = i % states.count;
  std::vector<std::vector<int>> found;
  candidates_.find({fsc, rows, group, 1 + static_cast<int>(branches.size()) * observations, id,
                    recent_, rollouts_, key},
                   found);
  existing = std::move(found[0]);
  if (current >= 0) existing.push_back(current);
  sort_unique(existing);
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
      std::vector<int>& nodes = branch.candidates[o].node;
      nodes = found[1 + b * observations + o];
      const std::vector<int>& others = found[1 + b * observations + similar[o]];
      if (similar[o] != o) nodes.insert(nodes.end(), others.begin(), others.end());
      if (current >= 0) {
        nodes.push_back(current);
        nodes.push_back(fsc.next(current, o));
      }
      if (hint.action == branch.action && hint.seen == o && hint.node >= 0)
        nodes.push_back(hint.node);
      sort_unique(nodes);
      branch.candidates[o].sum.assign(nodes.size(), 0.0);
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
  for (int node : existing.node)
    for (size_t i = begin; i < end; ++i) number.push_back(wanted_.want(states.at(i), node, i));
  for (const Branch& branch : branches)
    for (size_t i = begin; i < end; ++i)
      for (const auto& chance : branch.chances_of(i))
        for (int node : branch.candidates[chance.seen].node)
          number.push_back(wanted_.want(branch.next.at(i), node, i));
  wanted_.run(rollouts_, fsc, key);
  size_t at = 0;
  for (double& sum : existing.sum)
    for (size_t i = begin; i < end; ++i) sum += wanted_.value(number[at++]);
  for (Branch& branch : branches)
    for (size_t i = begin; i < end; ++i)
      for (const auto& chance : branch.chances_of(i))
        for (double& sum : branch.candidates[chance.seen].sum)
          sum += double(chance.probability) * wanted_.value(number[at++]);
}

// Takes the best successor for every (action, observation) and ranks `existing`, best first. After
// a part of the particles only the leading candidates go on.
void VerifiedBackup::choose(const Fsc& fsc, ConstRecords states, int current,
                            std::vector<Branch>& branches, std::vector<int>& existing_nodes,
                            RngKey key) {
  const PhaseTimer timer(work_, Phase::kSimulate);
  const size_t n = states.count, heat = n / 4;
  Ranking existing{existing_nodes, std::vector<double>(existing_nodes.size(), 0.0)};
  race(fsc, states, 0, heat, branches, existing, key);
  existing.keep_best(options_.finalists);
  for (Branch& branch : branches)
    for (Ranking& ranking : branch.candidates) ranking.keep_best(options_.finalists);
  race(fsc, states, heat, n, branches, existing, key);
  existing.keep_best(options_.finalists);
  existing_nodes = existing.node;
  for (Branch& branch : branches) {
    double later = 0;
    for (int o = 0; o < fsc.num_observations; ++o) {
      Ranking& ranking = branch.candidates[o];
      if (ranking.node.empty()) {
        // Did not occur: goes where the current node sends it, or to the best node.
        branch.successor[o] = current >= 0 ? fsc.next(current, o) : existing_nodes.front();
        continue;
      }
      ranking.keep_best(1);
      branch.successor[o] = ranking.node[0];
      later += ranking.sum[0];
    }
    const double reward = std::accumulate(branch.reward.begin(), branch.reward.end(), 0.0);
    branch.value = (reward + model_.facts().discount * later) / static_cast<double>(n);
  }
}

VerifiedBackup::Scores VerifiedBackup::score(const Fsc& fsc, ConstRecords states,
                                             std::vector<Branch>& branches,
                                             std::span<const int> existing, RngKey key) {
  const PhaseTimer timer(work_, Phase::kVerify);
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

// Three generations, each a third as wide as the one before. Half of the draws change all
// coordinates of the action, half a single one.
VerifiedBackup::Branch VerifiedBackup::refined(const Fsc& fsc, ConstRecords states,
                                               const Branch& best, RngKey key) {
  const Facts& box = stock_->inner().facts();
  const size_t width = stock_->width();
  std::vector<Branch> branches(1);
  branches[0].action = best.action;
  branches[0].successor = best.successor;
  score(fsc, states, branches, {}, key.fold("score"));
  double deviation = kRefineFrom;
  for (int generation = 0; generation < kGenerations; ++generation, deviation /= 3) {
    const std::vector<float> centre(stock_->row(branches[0].action).begin(),
                                    stock_->row(branches[0].action).end());
    std::vector<Branch> fresh(options_.refine);
    Rng rng(key.fold("draw"), generation);
    for (size_t i = 0; i < fresh.size(); ++i) {
      std::vector<float> drawn(width);
      draw_near(box, centre, deviation, rng, drawn);
      const size_t only = rng.below(static_cast<uint32_t>(width));
      for (size_t k = 0; i % 2 == 1 && k < width; ++k)
        if (k != only) drawn[k] = centre[k];
      fresh[i].action = stock_->append(drawn);
      fresh[i].successor = best.successor;
    }
    score(fsc, states, fresh, {}, key.fold("score"));
    for (Branch& branch : fresh) branches.push_back(std::move(branch));
    keep_best(branches, 1);
  }
  return std::move(branches[0]);
}

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
  std::vector<int> existing;
  propose(fsc, first, current, hint, branches, existing, key.fold("propose"));
  PENUMBRA_CHECK(!existing.empty(), "a backup needs at least one node in the controller");
  choose(fsc, first, current, branches, existing, key.fold("choose"));
  if (existing.size() > 3) existing.resize(3);
  keep_best(branches, options_.checked_actions);

  Scores scores = score(fsc, second, branches, existing, key.fold("check"));
  keep_best(branches, options_.scored_actions);
  if (stock_ && options_.refine > 0 && !branches.empty())
    branches.push_back(refined(fsc, states.sub(0, std::min(kRefineStates, chosen + options_.check)),
                               branches[0], key.fold("refine")));
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
  const PairedGain over_existing = paired_gain(scores.branch[b], scores.existing[e]);
  const bool take = over_existing.mean > z * over_existing.error + kLeastGain;
  if (current >= 0) {
    // `current` is the last of the existing ones.
    const PairedGain gain =
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
  result.node = fsc.find(branches[b].action, branches[b].successor);  // NodeIsUnique
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
  std::vector<int> existing;
  propose(fsc, states.sub(0, chosen), current, {}, none, existing, key.fold("propose"));
  PENUMBRA_CHECK(!existing.empty(), "a backup needs at least one node in the controller");
  choose(fsc, states.sub(0, chosen), current, none, existing, key.fold("choose"));
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

}  // namespace penumbra::controller
