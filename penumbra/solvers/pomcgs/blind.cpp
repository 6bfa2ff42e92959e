#include "penumbra/solvers/pomcgs/blind.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "penumbra/evaluate/simulate.h"

namespace penumbra::pomcgs {

BlindPolicies::BlindPolicies(const Pomdp& model, const ActionStudy& study, int sims, RngKey key,
                             ThreadPool& pool)
    : model_(model), random_(study.random), sims_(sims), key_(key) {
  const Facts& facts = model.facts();
  depth_ = horizon_for(facts, 0.01 * (facts.max_reward - facts.min_reward + 1e-9));
  constexpr int kStates = 256;
  const RecordBuffer states = walk_states(model, kStates, key.fold("walk"), pool);
  std::vector<uint64_t> ids(kStates);
  std::iota(ids.begin(), ids.end(), uint64_t{0});
  actions_.resize(facts.num_actions);
  std::iota(actions_.begin(), actions_.end(), 0);
  std::vector<float> value(size_t{kStates} * facts.num_actions);
  values(states, ids, value, pool);
  std::vector<double> mean(facts.num_actions, 0.0);
  std::vector<char> kept(facts.num_actions, 0);
  for (int i = 0; i < kStates; ++i) {
    const float* row = &value[size_t(i) * facts.num_actions];
    kept[std::max_element(row, row + facts.num_actions) - row] = 1;
    for (int a = 0; a < facts.num_actions; ++a) mean[a] += row[a];
  }
  kept[std::max_element(mean.begin(), mean.end()) - mean.begin()] = 1;
  std::erase_if(actions_, [&](int a) { return !kept[a]; });
}

BlindPolicies::BlindPolicies(const Pomdp& model, const Tabular& table, ThreadPool& pool)
    : model_(model), key_{} {
  const Facts& facts = model.facts();
  const int depth = horizon_for(facts, 0.01 * (facts.max_reward - facts.min_reward + 1e-9));
  std::vector<std::vector<float>> all(table.num_actions);
  pool.for_chunks(all.size(), 1, [&](size_t a, size_t, size_t) {
    std::vector<double> now(table.num_states, 0.0), before;
    for (int t = 0; t < depth; ++t) {
      before = now;
      for (int s = 0; s < table.num_states; ++s) {
        if (table.terminal[s]) continue;
        double future = 0;
        for (const auto& [next, chance] : table.transition[a].row(s))
          future += chance * before[next];
        now[s] = table.reward[a][s] + table.discount * future;
      }
    }
    all[a].assign(now.begin(), now.end());
  });
  std::vector<char> kept(all.size(), 0);
  std::vector<double> mean(all.size(), 0.0);
  for (int s = 0; s < table.num_states; ++s) {
    size_t best = 0;
    for (size_t a = 0; a < all.size(); ++a) {
      mean[a] += table.start[s] * all[a][s];
      if (all[a][s] > all[best][s]) best = a;
    }
    kept[best] = 1;
  }
  kept[std::max_element(mean.begin(), mean.end()) - mean.begin()] = 1;
  for (size_t a = 0; a < all.size(); ++a) {
    if (!kept[a]) continue;
    actions_.push_back(static_cast<int>(a));
    of_state_.push_back(std::move(all[a]));
  }
}

void BlindPolicies::values(ConstRecords states, std::span<const uint64_t> ids, std::span<float> out,
                           ThreadPool& pool) const {
  if (!of_state_.empty()) {
    std::vector<int> index(states.count);
    model_.state_index(states, index);
    for (size_t i = 0; i < states.count; ++i)
      for (int k = 0; k < size(); ++k) out[i * size() + k] = of_state_[k][index[i]];
    return;
  }
  constexpr size_t kGrain = 64;
  pool.for_chunks(states.count, kGrain, [&](size_t, size_t begin, size_t end) {
    std::vector<double> sum(end - begin);
    for (int k = 0; k < size(); ++k) {
      rollouts(states.sub(begin, end - begin), ids.subspan(begin, end - begin), actions_[k], sum);
      for (size_t i = begin; i < end; ++i) out[i * size() + k] = static_cast<float>(sum[i - begin]);
    }
  });
}

void BlindPolicies::rollouts(ConstRecords states, std::span<const uint64_t> ids, int action,
                             std::span<double> out) const {
  const bool random = random_[action];
  const int sims = random ? sims_ : 1;
  const double discount = model_.facts().discount;
  const size_t size = states.size;
  RecordBuffer now(size);
  std::vector<size_t> owner;
  std::vector<uint64_t> stream;
  for (size_t i = 0; i < states.count; ++i)
    for (int k = 0; k < sims; ++k) {
      now.push_back(states.at(i));
      owner.push_back(i);
      stream.push_back(ids[i] * static_cast<uint64_t>(sims) + static_cast<uint64_t>(k));
    }
  std::fill(out.begin(), out.end(), 0.0);
  StepBuffers buffers(model_, owner.size());
  std::vector<int> actions(owner.size(), action);
  double weight = 1.0 / sims;
  for (int t = 0; t < depth_ && !owner.empty(); ++t, weight *= discount) {
    const size_t n = owner.size();
    const StepResults r = buffers.results(n);
    model_.step(
        now, std::span<const int>(actions).first(n),
        {key_.fold(static_cast<uint64_t>(action)).fold(static_cast<uint64_t>(t)), 0, stream.data()},
        r);
    size_t left = 0;
    for (size_t i = 0; i < n; ++i) {
      out[owner[i]] += weight * r.reward[i];
      if (r.ended[i]) continue;
      // Where nothing changes any more the rest is a geometric sum.
      if (!random && std::memcmp(r.next.at(i), now.at(i), size) == 0) {
        out[owner[i]] += weight * r.reward[i] * discount / (1 - discount);
        continue;
      }
      now.copy_from(left, r.next.at(i));
      owner[left] = owner[i];
      stream[left++] = stream[i];
    }
    now.resize(left);
    owner.resize(left);
    stream.resize(left);
  }
}

}  // namespace penumbra::pomcgs
