#include "penumbra/belief/mixed_filter.h"

#include <algorithm>

namespace penumbra {
namespace {

// Keeps the positive weights, normalised, as a list or as an array, whichever is shorter to use.
double normalise(std::span<const double> weight, std::span<const int> support, bool dense,
                 HiddenBelief& out) {
  out.value.clear();
  out.index.clear();
  double sum = 0;
  size_t positive = 0;
  const size_t n = weight.size();
  if (dense) {
    double lanes[8] = {};
    size_t counts[8] = {};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
      for (size_t k = 0; k < 8; ++k) {
        lanes[k] += weight[i + k];
        counts[k] += weight[i + k] > 0;
      }
    for (; i < n; ++i) lanes[0] += weight[i], counts[0] += weight[i] > 0;
    for (size_t k = 0; k < 8; ++k) sum += lanes[k], positive += counts[k];
  } else {
    for (int y : support) sum += weight[y], positive += weight[y] > 0;
  }
  if (sum <= 0) return 0;
  const double scale = 1 / sum;
  if (2 * positive >= n) {
    out.value.assign(n, 0.0);
    if (dense)
      for (size_t y = 0; y < n; ++y) out.value[y] = weight[y] * scale;
    else  // off the support the weights are of another belief
      for (int y : support) out.value[y] = weight[y] * scale;
    return sum;
  }
  out.value.reserve(positive);
  out.index.reserve(positive);
  auto keep = [&](int y) {
    if (weight[y] <= 0) return;
    out.index.push_back(y);
    out.value.push_back(weight[y] * scale);
  };
  if (dense)
    for (size_t y = 0; y < n; ++y) keep(static_cast<int>(y));
  else
    for (int y : support) keep(y);
  return sum;
}

}  // namespace

MixedFilter::MixedFilter(const MixedModel& model)
    : model_(model),
      pushed_(model.largest_part(), 0.0),
      weights_(model.largest_part(), 0.0),
      marked_(model.largest_part(), 0) {}

void MixedFilter::push(int, HiddenView belief, const MixedModel::Branch& branch) {
  const size_t n = model_.size(branch.part);
  if (belief.dense() || 4 * belief.size() > n) {
    dense_ = true;
    std::fill_n(pushed_.begin(), n, 0.0);
    model_.push(branch, belief, pushed_.data());
    return;
  }
  dense_ = false;
  support_.clear();
  if (branch.identity) {
    support_.assign(belief.index.begin(), belief.index.end());
    for (size_t i = 0; i < belief.size(); ++i) pushed_[belief.index[i]] = belief.value[i];
    return;
  }
  for (size_t i = 0; i < belief.size(); ++i) {
    const int y = belief.index[i];
    for (int e = branch.start[y]; e < branch.start[y + 1]; ++e) {
      const int next = branch.column[e];
      if (!marked_[next]) {
        marked_[next] = 1;
        pushed_[next] = 0;
        support_.push_back(next);
      }
      pushed_[next] += belief.value[i] * branch.chance[e];
    }
  }
  for (int y : support_) marked_[y] = 0;
  std::sort(support_.begin(), support_.end());
}

void MixedFilter::see(const MixedModel::Sights& sights, int size, int outcome,
                      double* weights) const {
  auto chance = [&](int y) {
    double sum = 0;
    for (int e = sights.start[y]; e < sights.start[y + 1]; ++e)
      if (sights.outcome[e] == outcome) sum += sights.chance[e];
    return sum;
  };
  const double* column = sights.table.empty() ? nullptr : &sights.table[size_t(outcome) * size];
  if (dense_ && column)
    for (int y = 0; y < size; ++y) weights[y] = pushed_[y] * column[y];
  else if (dense_)
    for (int y = 0; y < size; ++y) weights[y] = pushed_[y] > 0 ? pushed_[y] * chance(y) : 0;
  else
    for (int y : support_) weights[y] = pushed_[y] * (column ? column[y] : chance(y));
}

void MixedFilter::successors(int part, HiddenView belief, int action, std::vector<Successor>& out) {
  size_t used = 0;
  const auto branches = model_.branches(part, action);
  for (size_t b = 0; b < branches.size(); ++b) {
    const MixedModel::Branch& branch = branches[b];
    const MixedModel::Sights& sights = model_.sights(branch.part, action);
    const size_t n = model_.size(branch.part);
    push(part, belief, branch);
    for (size_t o = 0; o < sights.seen.size(); ++o) {
      if (used == out.size()) out.emplace_back();
      Successor& next = out[used];
      const double* weights = pushed_.data();
      if (!sights.certain) {
        see(sights, static_cast<int>(n), static_cast<int>(o), weights_.data());
        weights = weights_.data();
      }
      next.chance = normalise({weights, n}, support_, dense_, next.belief);
      if (next.chance <= 0) continue;
      next.branch = static_cast<int>(b);
      next.outcome = static_cast<int>(o);
      ++used;
    }
  }
  out.resize(used);
}

double MixedFilter::successor(int part, HiddenView belief, int action, int branch, int outcome,
                              HiddenBelief& out) {
  const MixedModel::Branch& b = model_.branches(part, action)[branch];
  const MixedModel::Sights& sights = model_.sights(b.part, action);
  const size_t n = model_.size(b.part);
  push(part, belief, b);
  if (sights.certain) return normalise({pushed_.data(), n}, support_, dense_, out);
  see(sights, static_cast<int>(n), outcome, weights_.data());
  return normalise({weights_.data(), n}, support_, dense_, out);
}

double MixedFilter::track(int& part, HiddenBelief& belief, int action, int seen) {
  const auto branches = model_.branches(part, action);
  HiddenBelief next;
  for (size_t b = 0; b < branches.size(); ++b) {
    const int next_part = branches[b].part;
    const MixedModel::Sights& sights = model_.sights(next_part, action);
    for (size_t o = 0; o < sights.seen.size(); ++o) {
      if (model_.seen_index(next_part, sights.seen[o]) != seen) continue;
      const double chance =
          successor(part, belief.view(), action, static_cast<int>(b), static_cast<int>(o), next);
      if (chance <= 0) continue;
      part = next_part;
      belief = std::move(next);
      return chance;
    }
  }
  return 0;
}

}  // namespace penumbra
