#include "penumbra/solvers/nvi/pool_outcomes.h"

#include <algorithm>

#include "penumbra/model/record_set.h"

namespace penumbra::nvi {
namespace {

constexpr size_t kLanes = 2048;           // of one simulator call
constexpr size_t kMostPerState = 24;      // different outcomes that are kept, on average
constexpr size_t kMostColumns = 1 << 25;  // values of functions that are kept per action

struct Found {
  std::vector<float> reward;
  RecordBuffer next;
  std::vector<std::pair<int, int>> reached;  // (number in next, observation), sorted per state
  std::vector<int> row;
  std::vector<int> count;
};

// One step from each of these states, num_sims times.
Found simulate(const Pomdp& model, ConstRecords states, int action, size_t sims, RngKey key,
               size_t first) {
  const size_t n = states.count * sims;
  RecordBuffer repeated(model.state_size(), n);
  for (size_t i = 0; i < n; ++i) repeated.copy_from(i, states.at(i / sims));
  StepBuffers buffers(model, n);
  const StepResults out = buffers.results(n);
  model.step(repeated, std::vector<int>(n, action), {key, first * sims}, out);
  Found found;
  RecordSet next(model.state_size());
  for (size_t s = 0; s < states.count; ++s) {
    double reward = 0;
    std::vector<std::pair<int, int>> reached;
    for (size_t i = s * sims; i < (s + 1) * sims; ++i) {
      reward += out.reward[i];
      if (!out.ended[i]) reached.emplace_back(next.insert(out.next.at(i)), index_of(out.seen, i));
    }
    found.reward.push_back(static_cast<float>(reward / static_cast<double>(sims)));
    std::sort(reached.begin(), reached.end());
    for (size_t i = 0; i < reached.size();) {
      const size_t from = i;
      while (i < reached.size() && reached[i] == reached[from]) ++i;
      found.reached.push_back(reached[from]);
      found.row.push_back(static_cast<int>(first + s));
      found.count.push_back(static_cast<int>(i - from));
    }
  }
  found.next = next.take();
  return found;
}

}  // namespace

PoolOutcomes::PoolOutcomes(const Pomdp& model, const RecordBuffer& states, int num_sims, RngKey key,
                           ThreadPool& pool, Work& work)
    : model_(model),
      states_(states),
      num_sims_(num_sims),
      key_(key),
      pool_(pool),
      work_(work),
      actions_(model.facts().num_actions) {}

const PoolOutcomes::Action& PoolOutcomes::simulated(int number, const FeatureLayout& layout,
                                                    const Stop& stop) {
  if (actions_[number]) return *actions_[number];
  auto action = std::make_unique<Action>();
  const size_t count = states_.count(), sims = num_sims_;
  const size_t grain = std::max<size_t>(1, kLanes / sims);
  std::vector<Found> parts(ThreadPool::num_chunks(count, grain));
  const RngKey key = key_.fold(static_cast<uint64_t>(number));
  pool_.for_chunks(count, grain, [&](size_t part, size_t begin, size_t end) {
    throw_if_stopped(stop);
    parts[part] = simulate(model_, states_.sub(begin, end - begin), number, sims, key, begin);
  });
  work_.simulator_steps += static_cast<double>(count * sims);
  RecordSet next(model_.state_size());
  for (const Found& part : parts) {
    action->reward.insert(action->reward.end(), part.reward.begin(), part.reward.end());
    std::vector<int> number_of(part.next.count());
    for (size_t i = 0; i < number_of.size(); ++i) number_of[i] = next.insert(part.next.at(i));
    for (size_t i = 0; i < part.row.size(); ++i)
      action->entries.push_back({part.row[i], number_of[part.reached[i].first],
                                 part.reached[i].second,
                                 static_cast<float>(part.count[i]) / static_cast<float>(sims)});
  }
  if (action->entries.size() > kMostPerState * count) {
    *action = {.too_many = true, .reward = {}, .entries = {}, .next = {}};
  } else {
    action->next = FeatureBatch(layout, next.count());
    if (next.count() > 0) model_.encode(next.records(), action->next);
  }
  actions_[number] = std::move(action);
  return *actions_[number];
}

std::vector<float> PoolOutcomes::targets(const Fnc& fnc, const NewNode& node, const Stop& stop) {
  simulated(node.action, fnc.networks->layout(), stop);
  Action& action = *actions_[node.action];
  if (action.too_many) return {};
  const int rows = action.next.rows();
  if (action.function.size() * static_cast<size_t>(rows) > kMostColumns) action.function.clear();
  std::vector<const float*> value(node.edges.size());
  for (size_t o = 0; o < node.edges.size(); ++o) {
    const int f = fnc.alpha[node.edges[o]];
    auto [at, fresh] = action.function.try_emplace(f);
    if (fresh) {
      at->second.resize(rows);
      fnc.networks->predict_rows(action.next, std::vector<int32_t>(rows, f), at->second, &pool_);
      work_.network_evaluations += rows;
    }
    value[o] = at->second.data();
  }
  std::vector<double> future(states_.count());
  for (const Entry& e : action.entries) future[e.row] += double(e.weight) * value[e.seen][e.next];
  std::vector<float> out(states_.count());
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<float>(action.reward[i] + model_.facts().discount * future[i]);
  return out;
}

}  // namespace penumbra::nvi
