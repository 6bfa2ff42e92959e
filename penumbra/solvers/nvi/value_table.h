// The values of all functions of a bank at states that come up again and again: the next states of
// beliefs, where equal ones are common. A value is computed when it is first asked for, and once.
#pragma once

#include <span>
#include <vector>

#include "penumbra/base/stop.h"
#include "penumbra/model/pomdp.h"
#include "penumbra/model/record_set.h"
#include "penumbra/nn/value_bank.h"
#include "penumbra/solvers/work.h"

namespace penumbra::nvi {

class ValueTable {
 public:
  // Everything given must outlive it. It forgets everything when `most_values` would be passed.
  ValueTable(const Pomdp& model, const nn::ValueBank& bank, ThreadPool& pool, Work& work,
             size_t most_values = size_t{1} << 25);

  // A state of a call, by its place there, counts for a group with a weight.
  struct Entry {
    int state, group;
    double weight;
  };
  // sums[group * bank.size() + f] = sum of weight * f(state), for the functions from `first` on;
  // nothing of use before. The order of the sums is that of the entries, whatever the number of
  // threads. Throws Stopped.
  std::vector<double> sums(ConstRecords states, std::span<const Entry> entries, int groups,
                           int first = 0, const Stop& stop = {});

  int num_states() const { return states_.count(); }

 private:
  static constexpr int kBlock = 32;  // functions that lie side by side

  void fill(std::span<const int> rows, const Stop& stop);
  void fill_from(std::span<const int> rows, int known, const Stop& stop);
  float* at(int row, int function) {
    return blocks_[function / kBlock].data() + size_t(row) * kBlock + function % kBlock;
  }

  const Pomdp& model_;
  const nn::ValueBank& bank_;
  ThreadPool& pool_;
  Work& work_;
  size_t most_values_;
  RecordSet states_;
  std::vector<int> known_;                  // per state: functions whose values are there
  std::vector<std::vector<float>> blocks_;  // [functions / kBlock][state][kBlock]
};

}  // namespace penumbra::nvi
