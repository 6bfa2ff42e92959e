#include "penumbra/solvers/nvi/neural_backup.h"

#include <algorithm>
#include <cmath>

#include "penumbra/base/error.h"
#include "penumbra/model/record_set.h"

namespace penumbra::nvi {
namespace {

constexpr size_t kTile = 16'384;  // next states valued at a time
constexpr int kProbes = 512;      // training states by which a warm start is chosen

// Everything that was simulated for one action.
struct ActionOutcomes {
  double reward_sum = 0;  // R_a
  RecordSet states;       // distinct s', not terminal
  struct Entry {
    int state, seen, count;
  };
  std::vector<Entry> entries;
};

// Alg. 3, lines 5-7.
ActionOutcomes simulate_action(const Pomdp& model, const Particles& draws, int action, RngKey key) {
  const size_t n = draws.count();
  ActionOutcomes found{0, RecordSet(model.state_size(), n), {}};
  StepBuffers buffers(model, n);
  const StepResults out = buffers.results(n);
  // The same streams for every action: differences between actions are less noisy.
  model.step(draws.states, std::vector<int>(n, action), {key}, out);
  std::vector<std::pair<int, int>> reached;
  reached.reserve(n);
  for (size_t i = 0; i < n; ++i) {
    found.reward_sum += out.reward[i];
    if (!out.ended[i])
      reached.emplace_back(found.states.insert(out.next.at(i)), index_of(out.seen, i));
  }
  std::sort(reached.begin(), reached.end());
  for (size_t i = 0; i < reached.size();) {
    const size_t from = i;
    while (i < reached.size() && reached[i] == reached[from]) ++i;
    found.entries.push_back({reached[from].first, reached[from].second, int(i - from)});
  }
  return found;
}

// sums[(a * observations + o) * functions + n] = V_{a,o,n}: Alg. 3, lines 8-10. Equal next states
// are valued once.
std::vector<double> value_sums(const Pomdp& model, const std::vector<ActionOutcomes>& outcomes,
                               ValueTable& table, const Stop& stop) {
  const int num_seen = model.facts().num_observations;
  RecordSet all(model.state_size(), outcomes[0].states.count());
  std::vector<ValueTable::Entry> entries;
  for (size_t a = 0; a < outcomes.size(); ++a) {
    std::vector<int> number(outcomes[a].states.count());
    for (size_t i = 0; i < number.size(); ++i)
      number[i] = all.insert(outcomes[a].states.records().at(i));
    for (const ActionOutcomes::Entry& e : outcomes[a].entries)
      entries.push_back({number[e.state], int(a) * num_seen + e.seen, double(e.count)});
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& x, const auto& y) { return x.state < y.state; });
  const int groups = static_cast<int>(outcomes.size()) * num_seen;
  std::vector<double> sums;
  size_t first = 0;
  for (size_t begin = 0; begin < size_t(all.count()); begin += kTile) {
    const size_t rows = std::min(kTile, all.count() - begin);
    std::vector<ValueTable::Entry> some;
    for (; first < entries.size() && size_t(entries[first].state) < begin + rows; ++first) {
      some.push_back(entries[first]);
      some.back().state -= static_cast<int>(begin);
    }
    const std::vector<double> part =
        table.sums(all.records().sub(begin, rows), some, groups, 0, stop);
    sums.resize(part.size());
    for (size_t i = 0; i < part.size(); ++i) sums[i] += part[i];
  }
  return sums;
}

RecordBuffer timed_states(const Pomdp& model, const NeuralBackupOptions& o, RngKey key,
                          ThreadPool& pool, Work& work) {
  PhaseTimer timer(work, Phase::kGenerate);
  return sample_states(model, o.num_samples, o.sample_depth, key.fold("states"), pool, work);
}

int best_of(std::span<const double> values) {
  return static_cast<int>(std::max_element(values.begin(), values.end()) - values.begin());
}

}  // namespace

BackupValues backup_values(const Pomdp& model, const Fnc& fnc, const Particles& draws, RngKey key,
                           ThreadPool& pool, Work& work, ValueTable* table, const Stop& stop) {
  if (!table && fnc.networks) {
    ValueTable own(model, *fnc.networks, pool, work);
    return backup_values(model, fnc, draws, key, pool, work, &own, stop);
  }
  const Facts& facts = model.facts();
  const int num_actions = facts.num_actions, num_seen = facts.num_observations;
  const double size = static_cast<double>(draws.count());
  std::vector<ActionOutcomes> outcomes(num_actions,
                                       ActionOutcomes{0, RecordSet(model.state_size()), {}});
  {
    PhaseTimer timer(work, Phase::kSimulate);
    pool.for_chunks(num_actions, 1, [&](size_t, size_t a, size_t) {
      outcomes[a] = simulate_action(model, draws, static_cast<int>(a), key);
    });
    work.simulator_steps += size * num_actions;
  }
  BackupValues out{std::vector<double>(num_actions), std::vector<int>(num_actions * num_seen, 0)};
  PhaseTimer timer(work, Phase::kPredict);
  const int nodes = fnc.fsc.num_nodes();
  std::vector<double> sums;
  if (nodes > 0) sums = value_sums(model, outcomes, *table, stop);
  const size_t functions = nodes > 0 ? fnc.networks->size() : 0;
  if (sums.empty()) sums.resize(size_t(num_actions) * num_seen * functions);  // all have ended
  for (int a = 0; a < num_actions; ++a) {
    double future = 0;
    if (nodes > 0) {
      // V_{a,o,n} of one observation, in the order of the nodes.
      auto by_node = [&](int seen, std::vector<double>& v) {
        for (int n = 0; n < nodes; ++n)
          v[n] += sums[(size_t(a) * num_seen + seen) * functions + fnc.alpha[n]];
      };
      std::vector<char> produced(num_seen, 0);
      for (const ActionOutcomes::Entry& e : outcomes[a].entries) produced[e.seen] = 1;
      std::vector<double> merged(nodes);
      for (int o = 0; o < num_seen; ++o) {  // lines 11-13
        by_node(o, merged);
        if (!produced[o]) continue;
        std::vector<double> v(nodes);
        by_node(o, v);
        const int best = best_of(v);
        out.best_nodes[a * num_seen + o] = best;
        future += v[best];
      }
      const int fallback = best_of(merged);
      for (int o = 0; o < num_seen; ++o)
        if (!produced[o]) out.best_nodes[a * num_seen + o] = fallback;
    }
    out.q[a] = (outcomes[a].reward_sum + facts.discount * future) / size;  // line 14
  }
  return out;
}

NeuralBackup::NeuralBackup(const Pomdp& model, const NeuralBackupOptions& options,
                           nn::ValueBank& bank, RngKey key, ThreadPool& pool, Work& work)
    : model_(model),
      options_(options),
      pool_(pool),
      work_(work),
      states_(timed_states(model, options, key, pool, work)),
      outcomes_(model, states_, options.data.num_sims, key.fold("outcomes"), pool, work),
      table_(model, bank, pool, work) {
  const int found = static_cast<int>(states_.count());
  if (found == 0) throw Error(model.facts().name + ": no state that is not terminal was found");
  // Fewer than wanted: these are all there are. Repeated, so that the rows which a fit holds out
  // hide no state from it.
  pool_rows_ =
      found == options.num_samples
          ? found
          : std::max(found, std::clamp(4 * found, 256, std::max(options.num_samples, 256)));
  FeatureBatch batch(bank.layout(), pool_rows_);
  for (int row = 0; row < pool_rows_; row += found)
    model.encode(states_.sub(0, std::min(found, pool_rows_ - row)), batch, row);
  bank.set_pool(std::move(batch), &pool);
  RecordBuffer probes(model.state_size());
  const int count = std::min(found, kProbes);
  for (int i = 0; i < count; ++i) {
    probe_rows_.push_back(static_cast<int>(int64_t{i} * found / count));
    probes.push_back(states_.at(probe_rows_.back()));
  }
  probes_ = FeatureBatch(bank.layout(), count);
  model.encode(probes, probes_);
}

// The function that is closest to the targets already.
int NeuralBackup::nearest(const nn::ValueBank& bank, std::span<const float> targets) {
  if (!options_.warm_start || bank.form() != nn::BankForm::kNetworks) return -1;
  const size_t count = probe_rows_.size();
  for (int f = static_cast<int>(probe_values_.size()); f < bank.size(); ++f) {
    bank.predict_rows(probes_, std::vector<int32_t>(count, f), probe_values_.emplace_back(count),
                      &pool_);
    work_.network_evaluations += static_cast<double>(count);
  }
  int best = -1;
  double least = HUGE_VAL;
  for (size_t f = 0; f < probe_values_.size(); ++f) {
    double squared = 0;
    for (size_t i = 0; i < count; ++i) {
      const double e = probe_values_[f][i] - targets[probe_rows_[i]];
      squared += e * e;
    }
    if (squared < least) least = squared, best = static_cast<int>(f);
  }
  return best;
}

// GenData: Alg. 3, line 19. The targets of the training states, then those of the belief's own.
std::vector<float> NeuralBackup::targets(const Fnc& fnc, const NewNode& node, ConstRecords own,
                                         RngKey key, const Stop& stop) {
  PhaseTimer timer(work_, Phase::kGenerate);
  std::vector<float> out;
  if (fnc.fsc.num_nodes() > 0 && options_.data.targets == Targets::kBootstrap)
    out = outcomes_.targets(fnc, node, stop);
  RecordBuffer rest(model_.state_size());
  if (out.empty()) rest = states_;
  rest.append(own);
  const std::vector<float> more =
      make_training_set(model_, fnc, node, rest, options_.data, key, pool_, work_, stop);
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

// Alg. 3, lines 18-21.
nn::FitReport NeuralBackup::train(Fnc& fnc, const NewNode& node, const Particles& belief,
                                  RngKey key, const Stop& stop) {
  const int found = static_cast<int>(states_.count());
  const size_t most = options_.local_samples;
  Particles own(model_.state_size(), 0);
  if (most > 0)
    own = belief.count() <= most
              ? belief
              : value_iteration::distinct(resample(belief, most, key.fold("local")));
  std::vector<float> pool_targets = targets(fnc, node, own.states, key.fold("targets"), stop);
  const std::vector<float> local_targets(pool_targets.begin() + found, pool_targets.end());
  pool_targets.resize(pool_rows_);
  for (int i = found; i < pool_rows_; ++i) pool_targets[i] = pool_targets[i % found];
  PhaseTimer timer(work_, Phase::kTrain);
  // The belief's own states weigh as much as all the others.
  FeatureBatch local(fnc.networks->layout(), static_cast<int>(own.count()));
  std::vector<float> weights(own.count());
  if (own.count() > 0) model_.encode(own.states, local);
  for (size_t i = 0; i < own.count(); ++i)
    weights[i] = static_cast<float>(own.weight(i) * pool_rows_);
  nn::FitData data{.pool_targets = pool_targets,
                   .warm_start = nearest(*fnc.networks, pool_targets),
                   .stop = stop};
  if (own.count() > 0) {
    data.local = &local;
    data.local_targets = local_targets;
    data.local_weights = weights;
  }
  const nn::FitReport report = fnc.networks->add(data, key.fold("fit"), &pool_);
  if (report.status == nn::FitStatus::kStopped) throw Stopped();
  return report;
}

NeuralBackupResult NeuralBackup::run(Fnc& fnc, const Particles& belief, RngKey key,
                                     const Stop& stop) {
  const int num_seen = model_.facts().num_observations;
  fnc.fsc.num_observations = num_seen;
  const Particles draws = resample(belief, options_.num_particles, key.fold("draws"));
  NeuralBackupResult result;
  const BackupValues values =
      backup_values(model_, fnc, draws, key.fold("step"), pool_, work_, &table_, stop);
  result.q = values.q;
  const int action = best_of(values.q);  // line 15
  result.value = values.q[action];
  const auto edges = values.best_nodes.begin() + std::ptrdiff_t(action) * num_seen;
  const NewNode node{action, {edges, edges + num_seen}};  // line 16
  result.node = fnc.fsc.find(node.action, node.edges);
  if (result.node >= 0) return result;  // line 17
  result.fit = train(fnc, node, belief, key, stop);
  if (!result.fit.good()) return result;   // without a network it would be of no use
  result.node = fnc.fsc.add_node(action);  // line 22
  for (int o = 0; o < num_seen; ++o) fnc.fsc.set_edge(result.node, o, node.edges[o]);
  fnc.alpha.push_back(fnc.networks->size() - 1);
  result.is_new = true;
  return result;
}

std::vector<double> NeuralBackup::values(const Particles& belief, int first, const Stop& stop) {
  std::vector<ValueTable::Entry> entries(belief.count());
  for (size_t i = 0; i < entries.size(); ++i)
    entries[i] = {static_cast<int>(i), 0, belief.weight(i)};
  return table_.sums(belief.states, entries, 1, first, stop);
}

}  // namespace penumbra::nvi
