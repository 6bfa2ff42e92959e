#include "penumbra/solvers/nvi/bank_values.h"

#include <algorithm>
#include <cmath>

namespace penumbra::nvi {

std::vector<double> BankValues::all(const Particles& belief) const {
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

value_iteration::BestNode BankValues::best(const Particles& belief, int first, RngKey) const {
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
