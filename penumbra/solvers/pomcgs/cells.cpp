#include "penumbra/solvers/pomcgs/cells.h"

#include <algorithm>
#include <cmath>

#include "penumbra/base/error.h"

namespace penumbra::pomcgs {

// Without a grid coordinates that differ by rounding alone are still the same state.
constexpr double kRounding = 2e-5;

Cells::Cells(const Pomdp& model, const MdpValue& mdp, const BlindPolicies& blind,
             const PomcgsOptions& options, RngKey key, ThreadPool& pool)
    : model_(model),
      values_(mdp),
      policies_(blind),
      most_(options.grid > 0 ? options.representatives : 1),
      keys_(model.state_size()),
      states_(model.state_size()) {
  if (options.grid > 0) require(model, Capability::kCoordinates, "a grid of states");
  if (!model.has(Capability::kCoordinates)) return;
  constexpr int kStates = 4096;
  const int d = model.num_coordinates();
  std::vector<float> x(size_t(kStates) * d);
  model.coordinates(walk_states(model, kStates, key.fold("range"), pool), x);
  for (int c = 0; c < d; ++c) {
    float low = x[c], high = x[c];
    for (size_t i = c; i < x.size(); i += d) {
      low = std::min(low, x[i]);
      high = std::max(high, x[i]);
    }
    const double range = std::max(double(high) - low, 1e-9);
    width_.push_back(options.grid > 0 ? range / options.grid : kRounding * range);
  }
  keys_ = nvi::RecordSet(d * sizeof(int32_t));
}

RecordBuffer Cells::keys_of(ConstRecords states) const {
  const size_t d = width_.size();
  if (d == 0) {
    RecordBuffer same(states.size);
    same.append(states);
    return same;
  }
  std::vector<float> x(states.count * d);
  model_.coordinates(states, x);
  RecordBuffer keys(d * sizeof(int32_t), states.count);
  for (size_t i = 0; i < states.count; ++i)
    for (size_t c = 0; c < d; ++c)
      (&keys.as<int32_t>(i))[c] =
          static_cast<int32_t>(std::clamp(std::floor(x[i * d + c] / width_[c] + 0.5), -2e9, 2e9));
  return keys;
}

void Cells::insert(ConstRecords states, std::span<int32_t> out, ThreadPool& pool) {
  const int before = count();
  const RecordBuffer keys = keys_of(states);
  for (size_t i = 0; i < states.count; ++i) out[i] = keys_.insert(keys.at(i));
  const int added = keys_.count() - before;
  if (added == 0) return;
  std::vector<std::vector<size_t>> members(added);
  for (size_t i = 0; i < states.count; ++i)
    if (out[i] >= before && members[out[i] - before].size() < most_)
      members[out[i] - before].push_back(i);
  for (const auto& cell : members) {
    for (size_t i : cell) states_.push_back(states.at(i));
    first_.push_back(states_.count());
  }
  value_new(before, pool);
}

void Cells::value_new(int from, ThreadPool& pool) {
  const size_t begin = first_[from], n = states_.count() - begin;
  const ConstRecords states = states_.sub(begin, n);
  const int policies = policies_.size();
  std::vector<double> mdp(n);
  std::vector<float> blind(n * policies);
  std::vector<uint64_t> ids(n);
  for (size_t i = 0; i < n; ++i) ids[i] = begin + i;
  pool.for_chunks(n, 256, [&](size_t, size_t b, size_t e) {
    values_.value(states.sub(b, e - b), std::span(mdp).subspan(b, e - b));
  });
  policies_.values(states, ids, blind, pool);
  const int cells = static_cast<int>(first_.size()) - 1;
  mdp_.resize(cells, 0.0f);
  blind_.resize(size_t(cells) * policies, 0.0f);
  for (int c = from; c < cells; ++c) {
    const auto share = 1.0f / static_cast<float>(first_[c + 1] - first_[c]);
    for (size_t i = first_[c] - begin; i < first_[c + 1] - begin; ++i) {
      mdp_[c] += share * static_cast<float>(mdp[i]);
      for (int k = 0; k < policies; ++k)
        blind_[size_t(c) * policies + k] += share * blind[i * policies + k];
    }
  }
}

double Cells::bytes() const {
  return static_cast<double>(keys_.records().record_size() + 24) * count() +
         static_cast<double>(states_.count() * states_.record_size() + 4 * blind_.size());
}

void Cells::restore(std::span<const std::byte> keys, std::span<const std::byte> states) {
  const size_t size = keys_.records().record_size(), record = model_.state_size();
  if (keys.size() % size != 0 || states.size() % record != 0 || first_.empty() ||
      first_.back() * record != states.size() || first_.size() != mdp_.size() + 1 ||
      keys.size() / size != mdp_.size() || blind_.size() != mdp_.size() * policies_.size())
    throw Error("saved state: its states do not fit the model");
  keys_ = nvi::RecordSet(size, keys.size() / size);
  for (size_t i = 0; i < keys.size(); i += size) keys_.insert(keys.data() + i);
  states_ = RecordBuffer(record);
  states_.append({states.data(), record, states.size() / record});
}

}  // namespace penumbra::pomcgs
