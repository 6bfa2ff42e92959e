// b . alpha by networks: the value of a node at a belief is the mean of its network there.
#pragma once

#include <cmath>

#include <algorithm>

#include "penumbra/nn/value_bank.h"
#include "penumbra/solvers/value_iteration/belief_tree.h"
#include "penumbra/solvers/value_iteration/node_values.h"

namespace penumbra::nvi {

class BankValues final : public value_iteration::NodeValues {
 public:
  // Everything given must outlive it.
  BankValues(const Pomdp& model, const nn::ValueBank& bank, ThreadPool& pool, Work& work)
      : model_(model), bank_(bank), pool_(pool), work_(work) {}

  int count() const override { return bank_.size(); }
  value_iteration::BestNode best(const Particles& belief, int first, RngKey key) const override;
  // Of every function.
  std::vector<double> all(const Particles& belief) const;

 private:
  const Pomdp& model_;
  const nn::ValueBank& bank_;
  ThreadPool& pool_;
  Work& work_;
};

inline std::vector<double> BankValues::all(const Particles& belief) const {
  const int rows = static_cast<int>(belief.count());
  FeatureBatch batch(bank_.layout(), rows);
  model_.encode(belief.states, batch);
  std::vector<int32_t> group(rows, 0);
  std::vector<float> weights(rows);
  for (int i = 0; i < rows; ++i) weights[i] = static_cast<float>(belief.weight(i));
  std::vector<double> sums(bank_.size());
  bank_.predict_sums(batch, {group, 1, weights}, sums, &pool_);
  work_.network_evaluations += static_cast<double>(rows) * bank_.size();
  return sums;
}

inline value_iteration::BestNode BankValues::best(const Particles& belief, int first,
                                                  RngKey) const {
  const int functions = bank_.size();
  if (2 * first < functions) {  // all at once is cheaper
    const std::vector<double> values = all(belief);
    const auto most = std::max_element(values.begin(), values.end());
    return {*most, static_cast<int>(most - values.begin())};
  }
  const int rows = static_cast<int>(belief.count());
  FeatureBatch batch(bank_.layout(), rows);
  model_.encode(belief.states, batch);
  std::vector<float> value(rows);
  value_iteration::BestNode best{-HUGE_VAL, -1};
  for (int f = first; f < functions; ++f) {
    bank_.predict_rows(batch, std::vector<int32_t>(rows, f), value, &pool_);
    double sum = 0;
    for (int i = 0; i < rows; ++i) sum += belief.weight(i) * value[i];
    if (sum > best.value) best = {sum, f};
    work_.network_evaluations += rows;
  }
  return best;
}

}  // namespace penumbra::nvi
