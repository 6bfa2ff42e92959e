#include "penumbra/solvers/nvi/gen_data.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "penumbra/evaluate/simulate.h"
#include "penumbra/model/record_set.h"

namespace penumbra::nvi {
namespace {

constexpr size_t kLanes = 2048;    // of one simulator call
constexpr size_t kRows = 1 << 16;  // rows of one network call
constexpr int kBarrenRounds = 4;   // rounds of sampling that may bring hardly anything new

size_t states_per_chunk(int num_sims) {
  return std::max<size_t>(1, kLanes / static_cast<size_t>(num_sims));
}

// Lanes of one chunk in lockstep. Those that have ended are squeezed out.
struct Lanes {
  RecordBuffer state;
  std::vector<int> node, action;
  std::vector<uint64_t> id;
  std::vector<size_t> row;  // the state that the lane started from
  size_t live = 0;

  Lanes(const Pomdp& model, size_t n)
      : state(model.state_size(), n), node(n), action(n), id(n), row(n), live(n) {}

  void move(size_t to, size_t from, const std::byte* next) {
    state.copy_from(to, next);
    node[to] = node[from];
    id[to] = id[from];
    row[to] = row[from];
  }
};

// sum[row - begin] += discounted returns of the chunk's episodes; returns the steps taken.
double roll_out(const Pomdp& model, const Fsc& fsc, Lanes& lanes, int horizon, RngKey key,
                size_t begin, std::span<double> sum) {
  StepBuffers buffers(model, lanes.live);
  double weight = 1, steps = 0;
  for (int t = 0; t < horizon && lanes.live > 0; ++t, weight *= model.facts().discount) {
    const size_t n = lanes.live;
    for (size_t i = 0; i < n; ++i) lanes.action[i] = fsc.action[lanes.node[i]];
    const StepResults out = buffers.results(n);
    model.step(lanes.state.sub(0, n), std::span<const int>(lanes.action).first(n),
               {key.fold(static_cast<uint64_t>(t)), 0, lanes.id.data()}, out);
    steps += static_cast<double>(n);
    size_t kept = 0;
    for (size_t i = 0; i < n; ++i) {
      sum[lanes.row[i] - begin] += weight * out.reward[i];
      if (out.ended[i]) continue;
      lanes.node[i] = fsc.next(lanes.node[i], index_of(out.seen, i));
      lanes.move(kept++, i, out.next.at(i));
    }
    lanes.live = kept;
  }
  return steps;
}

std::vector<float> rollout_targets(const Pomdp& model, const Fsc& fsc, int start,
                                   ConstRecords states, const GenDataOptions& o, RngKey key,
                                   ThreadPool& pool, Work& work, const Stop& stop) {
  const int horizon = horizon_for(model.facts(), o.tail);
  const size_t grain = states_per_chunk(o.num_sims), sims = o.num_sims;
  std::vector<double> sum(states.count), steps(ThreadPool::num_chunks(states.count, grain));
  pool.for_chunks(states.count, grain, [&](size_t chunk, size_t begin, size_t end) {
    throw_if_stopped(stop);
    Lanes lanes(model, (end - begin) * sims);
    for (size_t i = 0; i < lanes.live; ++i) {
      lanes.row[i] = begin + i / sims;
      lanes.id[i] = begin * sims + i;
      lanes.node[i] = start;
      lanes.state.copy_from(i, states.at(lanes.row[i]));
    }
    steps[chunk] = roll_out(model, fsc, lanes, horizon, key, begin,
                            std::span(sum).subspan(begin, end - begin));
  });
  work.simulator_steps += std::accumulate(steps.begin(), steps.end(), 0.0);
  std::vector<float> out(states.count);
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<float>(sum[i] / static_cast<double>(sims));
  return out;
}

// What one-step simulations led to: equal (next state, node) of one state are merged.
struct Outcomes {
  RecordBuffer next;
  std::vector<int32_t> function;
  std::vector<float> weight;  // simulations
  std::vector<size_t> row;
};

void simulate_once(const Pomdp& model, const Fnc& fnc, const NewNode& node, ConstRecords states,
                   int num_sims, RngKey key, size_t first, std::span<double> sum, Outcomes& found) {
  const size_t sims = num_sims, n = states.count * sims;
  RecordBuffer repeated(model.state_size(), n);
  for (size_t i = 0; i < n; ++i) repeated.copy_from(i, states.at(i / sims));
  StepBuffers buffers(model, n);
  const StepResults out = buffers.results(n);
  model.step(repeated, std::vector<int>(n, node.action), {key, first * sims}, out);
  found.next = RecordBuffer(model.state_size());
  for (size_t s = 0; s < states.count; ++s) {
    RecordSet set(model.state_size(), sims);
    std::vector<std::pair<int, int>> reached;  // (next state, function)
    for (size_t i = s * sims; i < (s + 1) * sims; ++i) {
      sum[s] += out.reward[i];
      if (out.ended[i]) continue;
      reached.emplace_back(set.insert(out.next.at(i)),
                           fnc.alpha[node.edges[index_of(out.seen, i)]]);
    }
    std::sort(reached.begin(), reached.end());
    for (size_t i = 0; i < reached.size();) {
      const size_t from = i;
      while (i < reached.size() && reached[i] == reached[from]) ++i;
      found.next.push_back(set.records().at(reached[from].first));
      found.function.push_back(reached[from].second);
      found.weight.push_back(static_cast<float>(i - from));
      found.row.push_back(first + s);
    }
  }
}

std::vector<float> bootstrap_targets(const Pomdp& model, const Fnc& fnc, const NewNode& node,
                                     ConstRecords states, const GenDataOptions& o, RngKey key,
                                     ThreadPool& pool, Work& work, const Stop& stop) {
  const size_t grain = states_per_chunk(o.num_sims);
  std::vector<double> sum(states.count);
  std::vector<Outcomes> chunks(ThreadPool::num_chunks(states.count, grain));
  pool.for_chunks(states.count, grain, [&](size_t chunk, size_t begin, size_t end) {
    throw_if_stopped(stop);
    simulate_once(model, fnc, node, states.sub(begin, end - begin), o.num_sims, key, begin,
                  std::span(sum).subspan(begin, end - begin), chunks[chunk]);
  });
  work.simulator_steps += static_cast<double>(states.count) * o.num_sims;

  // V_{n, s'} of all outcomes, a bounded number of rows at a time.
  const double discount = model.facts().discount;
  for (size_t chunk = 0; chunk < chunks.size();) {
    Outcomes batch;
    batch.next = RecordBuffer(model.state_size());
    for (; chunk < chunks.size() && batch.row.size() < kRows; ++chunk) {
      const Outcomes& c = chunks[chunk];
      batch.next.append(c.next);
      batch.function.insert(batch.function.end(), c.function.begin(), c.function.end());
      batch.weight.insert(batch.weight.end(), c.weight.begin(), c.weight.end());
      batch.row.insert(batch.row.end(), c.row.begin(), c.row.end());
    }
    const size_t rows = batch.row.size();
    throw_if_stopped(stop);
    FeatureBatch features(fnc.networks->layout(), static_cast<int>(rows));
    model.encode(batch.next, features);
    std::vector<float> value(rows);
    fnc.networks->predict_rows(features, batch.function, value, &pool);
    work.network_evaluations += static_cast<double>(rows);
    for (size_t i = 0; i < rows; ++i) sum[batch.row[i]] += discount * batch.weight[i] * value[i];
  }
  std::vector<float> out(states.count);
  for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(sum[i] / o.num_sims);
  return out;
}

}  // namespace

// Alg. 3, lines 26-28. A round has as many episodes as states are wanted.
RecordBuffer sample_states(const Pomdp& model, int count, int max_depth, RngKey key,
                           ThreadPool& pool, Work& work) {
  const Facts& facts = model.facts();
  RecordSet found(model.state_size(), count);
  const size_t num_chunks = ThreadPool::num_chunks(count, kLanes);
  for (int round = 0, barren = 0; found.count() < count && barren < kBarrenRounds; ++round) {
    const RngKey own = key.fold(static_cast<uint64_t>(round));
    std::vector<RecordBuffer> reached(num_chunks, RecordBuffer(model.state_size()));
    std::vector<double> steps(num_chunks);
    pool.for_chunks(count, kLanes, [&](size_t chunk, size_t begin, size_t end) {
      Lanes lanes(model, end - begin);
      std::vector<uint8_t> ended(lanes.live);
      StepBuffers buffers(model, lanes.live);
      model.sample_initial({own.fold("initial"), begin}, lanes.state);
      model.is_terminal(lanes.state, ended);
      for (size_t i = 0; i < lanes.live; ++i) {
        lanes.id[i] = begin + i;
        lanes.node[i] = static_cast<int>(Rng(own.fold("depth"), begin + i).below(max_depth + 1));
      }
      for (int t = 0; lanes.live > 0; ++t) {
        size_t kept = 0;  // lanes that have not reached their depth
        for (size_t i = 0; i < lanes.live; ++i) {
          if (ended[i]) continue;
          if (lanes.node[i] == t) {
            reached[chunk].push_back(lanes.state.at(i));
          } else {
            if (kept != i) lanes.move(kept, i, lanes.state.at(i));
            ++kept;
          }
        }
        lanes.live = kept;
        const RngKey step_key = own.fold("step").fold(static_cast<uint64_t>(t));
        for (size_t i = 0; i < kept; ++i)
          lanes.action[i] =
              static_cast<int>(Rng(step_key.fold("action"), lanes.id[i]).below(facts.num_actions));
        const StepResults out = buffers.results(kept);
        model.step(lanes.state.sub(0, kept), std::span<const int>(lanes.action).first(kept),
                   {step_key, 0, lanes.id.data()}, out);
        for (size_t i = 0; i < kept; ++i) {
          lanes.state.copy_from(i, out.next.at(i));
          ended[i] = out.ended[i];
        }
        steps[chunk] += static_cast<double>(kept);
      }
    });
    work.simulator_steps += std::accumulate(steps.begin(), steps.end(), 0.0);
    const int before = found.count();
    for (const RecordBuffer& states : reached)
      for (size_t i = 0; i < states.count() && found.count() < count; ++i)
        found.insert(states.at(i));
    barren = (found.count() - before) * 100 < count ? barren + 1 : 0;
  }
  return found.take();
}

std::vector<float> make_training_set(const Pomdp& model, const Fnc& fnc, const NewNode& node,
                                     ConstRecords states, const GenDataOptions& options, RngKey key,
                                     ThreadPool& pool, Work& work, const Stop& stop) {
  // Alg. 3, lines 29-34.
  if (fnc.fsc.num_nodes() > 0 && options.targets == Targets::kBootstrap)
    return bootstrap_targets(model, fnc, node, states, options, key, pool, work, stop);
  Fsc fsc = fnc.fsc;
  fsc.num_observations = model.facts().num_observations;
  const int start = fsc.add_node(node.action);
  for (int o = 0; o < fsc.num_observations; ++o) fsc.set_edge(start, o, node.edges[o]);
  return rollout_targets(model, fsc, start, states, options, key, pool, work, stop);
}

}  // namespace penumbra::nvi
