#include "penumbra/solvers/nvi/value_table.h"

#include <algorithm>
#include <map>

namespace penumbra::nvi {
namespace {

constexpr size_t kTile = 2048;  // states valued in one network call

FeatureBatch encoded(const Pomdp& model, const RecordBuffer& from, std::span<const int> rows) {
  RecordBuffer states(model.state_size(), rows.size());
  for (size_t i = 0; i < rows.size(); ++i) states.copy_from(i, from.at(rows[i]));
  FeatureBatch batch(model.features(), static_cast<int>(rows.size()));
  model.encode(states, batch);
  return batch;
}

}  // namespace

ValueTable::ValueTable(const Pomdp& model, const nn::ValueBank& bank, ThreadPool& pool, Work& work,
                       size_t most_values)
    : model_(model),
      bank_(bank),
      pool_(pool),
      work_(work),
      most_values_(most_values),
      states_(model.state_size()) {}

std::vector<double> ValueTable::sums(ConstRecords states, std::span<const Entry> entries,
                                     int groups, int first, const Stop& stop) {
  const int functions = bank_.size();
  const size_t blocks = ThreadPool::num_chunks(functions, kBlock);
  if ((states_.count() + states.count) * blocks * kBlock > most_values_) {
    states_ = RecordSet(model_.state_size());
    known_.clear();
    blocks_.clear();
  }
  std::vector<int> number(states.count);
  for (size_t i = 0; i < states.count; ++i) number[i] = states_.insert(states.at(i));
  known_.resize(states_.count(), 0);
  blocks_.resize(std::max(blocks, blocks_.size()));
  for (std::vector<float>& block : blocks_) block.resize(size_t(states_.count()) * kBlock);
  fill(number, stop);

  std::vector<double> out(size_t(groups) * functions);
  const size_t from = first / kBlock;
  pool_.for_chunks(blocks - from, 1, [&](size_t, size_t item, size_t) {
    const int begin = static_cast<int>(from + item) * kBlock;
    const int width = std::min(kBlock, functions - begin);
    for (const Entry& e : entries) {
      const float* value = at(number[e.state], begin);
      double* sum = out.data() + size_t(e.group) * functions + begin;
      for (int f = 0; f < width; ++f) sum[f] += e.weight * value[f];
    }
  });
  return out;
}

// Rows that know the same functions are completed together.
void ValueTable::fill(std::span<const int> rows, const Stop& stop) {
  std::map<int, std::vector<int>> missing;
  for (int row : rows) {
    if (known_[row] >= bank_.size()) continue;
    missing[known_[row]].push_back(row);
    known_[row] = bank_.size();  // so that it is listed once
  }
  for (const auto& [known, some] : missing)
    for (int row : some) known_[row] = known;  // until it is true
  for (const auto& [known, some] : missing) {
    for (size_t begin = 0; begin < some.size(); begin += kTile) {
      const auto tile = std::span(some).subspan(begin, std::min(kTile, some.size() - begin));
      throw_if_stopped(stop);
      fill_from(tile, known, stop);
      for (int row : tile) known_[row] = bank_.size();
    }
  }
}

void ValueTable::fill_from(std::span<const int> rows, int known, const Stop& stop) {
  const FeatureBatch batch = encoded(model_, states_.records(), rows);
  const int functions = bank_.size();
  work_.network_evaluations += static_cast<double>(rows.size()) * (functions - known);
  if (known == 0 || bank_.form() == nn::BankForm::kHeads) {  // heads: one matrix product anyway
    std::vector<float> value(rows.size() * functions);
    bank_.predict(batch, value, &pool_);
    for (size_t i = 0; i < rows.size(); ++i)
      for (int f = 0; f < functions; ++f) *at(rows[i], f) = value[i * functions + f];
    return;
  }
  pool_.for_chunks(functions - known, 1, [&](size_t, size_t item, size_t) {
    throw_if_stopped(stop);
    const int f = known + static_cast<int>(item);
    std::vector<float> value(rows.size());
    bank_.predict_rows(batch, std::vector<int32_t>(rows.size(), f), value);
    for (size_t i = 0; i < rows.size(); ++i) *at(rows[i], f) = value[i];
  });
}

}  // namespace penumbra::nvi
