#include "penumbra/model/mixed_model.h"

#include <algorithm>

#include "penumbra/base/error.h"

namespace penumbra {

double dot(const double* vector, HiddenView belief) {
  constexpr size_t kLanes = 16;
  const size_t n = belief.size();
  const double* value = belief.value.data();
  size_t i = 0;
  if (n < kLanes) {
    double few = 0;
    for (; i < n; ++i) few += vector[belief.at(i)] * value[i];
    return few;
  }
  double sum[kLanes] = {};
  if (belief.dense()) {
    for (; i + kLanes <= n; i += kLanes)
      for (size_t k = 0; k < kLanes; ++k) sum[k] += vector[i + k] * value[i + k];
    for (; i < n; ++i) sum[0] += vector[i] * value[i];
  } else {
    constexpr size_t kFew = 4;
    const int* index = belief.index.data();
    for (; i + kFew <= n; i += kFew)
      for (size_t k = 0; k < kFew; ++k) sum[k] += vector[index[i + k]] * value[i + k];
    for (; i < n; ++i) sum[0] += vector[index[i]] * value[i];
  }
  for (size_t half = kLanes / 2; half > 0; half /= 2)
    for (size_t k = 0; k < half; ++k) sum[k] += sum[k + half];
  return sum[0];
}

namespace {

// Gives back what growing left over: there may be hundreds of megabytes of it.
template <class... Lists>
void fit(Lists&... lists) {
  (lists.shrink_to_fit(), ...);
}

}  // namespace

MixedModel::MixedModel(const Tabular& table, KnownParts parts)
    : discount_(table.discount),
      num_states_(table.num_states),
      num_actions_(table.num_actions),
      num_observations_(table.num_observations),
      parts_(std::move(parts)),
      part_of_(table.num_states, -1),
      local_of_(table.num_states, -1) {
  visible_.assign(num_parts(), 0);
  for (int p = 0; p < num_parts(); ++p) {
    const bool copy = parts_.start_is_copy && p == parts_.start;
    largest_ = std::max(largest_, size(p));
    if (copy) visible_[p] = -1;
    for (int i = 0; i < size(p) && !copy; ++i) {
      part_of_[states(p)[i]] = p;
      local_of_[states(p)[i]] = i;
      if (!table.visible.empty()) visible_[p] = table.visible[states(p)[i]];
    }
  }
  reward_.resize(size_t(num_parts()) * num_actions_);
  bool first = true;
  for (int p = 0; p < num_parts(); ++p)
    for (int a = 0; a < num_actions_; ++a) {
      reward_[slot(p, a)].reserve(size(p));
      for (int s : states(p)) {
        const double r = table.reward[a][s];
        reward_[slot(p, a)].push_back(r);
        max_reward_ = first ? r : std::max(max_reward_, r);
        min_reward_ = first ? r : std::min(min_reward_, r);
        first = false;
      }
    }
  build_branches(table);
  build_sights(table);

  const std::vector<int>& in_start = states(start_part());
  for (size_t i = 0; i < in_start.size(); ++i)
    if (const double p = table.start[in_start[i]]; p > 0) {
      start_.index.push_back(static_cast<int>(i));
      start_.value.push_back(p);
      start_chance_ += p;
    }
  for (double& p : start_.value) p /= start_chance_;
  if (start_.index.size() == in_start.size()) start_.index.clear();
}

void MixedModel::build_branches(const Tabular& table) {
  branches_.resize(reward_.size());
  std::vector<int> branch_of(num_parts(), -1);
  for (int p = 0; p < num_parts(); ++p)
    for (int a = 0; a < num_actions_; ++a) {
      std::vector<Branch>& list = branches_[slot(p, a)];
      for (int y = 0; y < size(p); ++y) {
        for (const auto& t : table.transition[a].row(states(p)[y])) {
          const int next = part_of_[t.column];
          if (next < 0 || t.value <= 0) continue;  // finished: worth nothing
          if (branch_of[next] < 0) {
            branch_of[next] = static_cast<int>(list.size());
            list.emplace_back().part = next;
          }
          Branch& branch = list[branch_of[next]];
          branch.start.resize(y + 1, static_cast<int>(branch.column.size()));
          branch.column.push_back(local_of_[t.column]);
          branch.chance.push_back(t.value);
        }
      }
      for (Branch& branch : list) {
        const int entries = static_cast<int>(branch.column.size());
        branch.start.resize(size(p) + 1, entries);
        branch.identity = entries == size(p) && size(branch.part) == size(p);
        for (int y = 0; y < entries && branch.identity; ++y)
          branch.identity = branch.start[y] == y && branch.column[y] == y && branch.chance[y] == 1;
        if (branch.identity) branch.start = branch.column = {}, branch.chance = {};
        fit(branch.start, branch.column, branch.chance);
        branch_of[branch.part] = -1;
      }
    }
}

void MixedModel::build_sights(const Tabular& table) {
  sights_.resize(reward_.size());
  std::vector<char> needed(reward_.size(), 0);
  for (int p = 0; p < num_parts(); ++p)
    for (int a = 0; a < num_actions_; ++a)
      for (const Branch& branch : branches(p, a)) needed[slot(branch.part, a)] = 1;
  std::vector<int> outcome_of(num_observations_, -1);
  for (int p = 0; p < num_parts(); ++p)
    for (int a = 0; a < num_actions_; ++a) {
      if (!needed[slot(p, a)]) continue;
      Sights& sights = sights_[slot(p, a)];
      sights.start = {0};
      for (int s : states(p)) {
        for (const auto& o : table.observation[a].row(s)) {
          if (o.value <= 0) continue;
          int& outcome = outcome_of[o.column];
          if (outcome < 0) {
            outcome = static_cast<int>(sights.seen.size());
            sights.seen.push_back(o.column);
          }
          sights.outcome.push_back(outcome);
          sights.chance.push_back(o.value);
        }
        sights.start.push_back(static_cast<int>(sights.outcome.size()));
      }
      for (int o : sights.seen) outcome_of[o] = -1;
      const size_t n = size(p), outcomes = sights.seen.size(), entries = sights.chance.size();
      sights.certain = outcomes == 1 && entries == n &&
                       std::all_of(sights.chance.begin(), sights.chance.end(),
                                   [](double chance) { return chance == 1; });
      if (!sights.certain && 2 * entries >= outcomes * n) {
        sights.table.assign(outcomes * n, 0.0);
        for (size_t y = 0; y < n; ++y)
          for (int e = sights.start[y]; e < sights.start[y + 1]; ++e)
            sights.table[sights.outcome[e] * n + y] += sights.chance[e];
      }
      if (sights.certain || !sights.table.empty())
        sights.start = sights.outcome = {}, sights.chance = {};
      fit(sights.seen, sights.start, sights.outcome, sights.chance);
    }
}

void MixedModel::push(const Branch& branch, HiddenView belief, double* next) const {
  if (branch.identity) {
    for (size_t i = 0; i < belief.size(); ++i) next[belief.at(i)] += belief.value[i];
    return;
  }
  for (size_t i = 0; i < belief.size(); ++i) {
    const int y = belief.at(i);
    const double p = belief.value[i];
    for (int e = branch.start[y]; e < branch.start[y + 1]; ++e)
      next[branch.column[e]] += p * branch.chance[e];
  }
}

void MixedModel::pull(const Branch& branch, int from_size, const double* next, double factor,
                      double* value) const {
  if (branch.identity) {
    for (int y = 0; y < from_size; ++y) value[y] += factor * next[y];
    return;
  }
  for (int y = 0; y < from_size; ++y) {
    double sum = 0;
    for (int e = branch.start[y]; e < branch.start[y + 1]; ++e)
      sum += branch.chance[e] * next[branch.column[e]];
    value[y] += factor * sum;
  }
}

}  // namespace penumbra
