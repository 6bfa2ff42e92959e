#include "penumbra/solvers/pomcgs/cells.h"

#include <algorithm>
#include <cmath>

#include "penumbra/base/error.h"

namespace penumbra::pomcgs {

// Of a coordinate's range: states that differ by less are the same.
constexpr double kRounding = 2e-5;

Cells::Cells(const Pomdp& model, const MdpValue& mdp, const BlindPolicies& blind, RngKey key,
             ThreadPool& pool)
    : model_(model),
      values_(mdp),
      policies_(blind),
      keys_(model.state_size()),
      states_(model.state_size()) {
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
    width_.push_back(kRounding * range);
  }
  keys_ = RecordSet(d * sizeof(int32_t));
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
  for (size_t i = 0; i < states.count; ++i)
    if (out[i] == static_cast<int32_t>(states_.count())) states_.push_back(states.at(i));
  value_new(before, pool);
}

void Cells::value_new(int from, ThreadPool& pool) {
  const size_t n = states_.count() - from;
  const ConstRecords states = states_.sub(from, n);
  const size_t policies = policies_.size();
  std::vector<double> mdp(n);
  std::vector<uint64_t> ids(n);
  for (size_t i = 0; i < n; ++i) ids[i] = from + i;
  pool.for_chunks(n, 256, [&](size_t, size_t b, size_t e) {
    values_.value(states.sub(b, e - b), std::span(mdp).subspan(b, e - b));
  });
  for (double v : mdp) mdp_.push_back(static_cast<float>(v));
  blind_.resize(policies * states_.count());
  policies_.values(states, ids, std::span(blind_).subspan(from * policies), pool);
}

double Cells::bytes() const {
  return static_cast<double>(keys_.records().record_size() + 24) * count() +
         static_cast<double>(states_.count() * states_.record_size() + 4 * blind_.size());
}

void Cells::restore(std::span<const std::byte> keys, std::span<const std::byte> states) {
  const size_t size = keys_.records().record_size(), record = model_.state_size();
  if (keys.size() % size != 0 || states.size() % record != 0 ||
      states.size() / record != mdp_.size() || keys.size() / size != mdp_.size() ||
      blind_.size() != mdp_.size() * policies_.size())
    throw Error("saved state: its states do not fit the model");
  keys_ = RecordSet(size, keys.size() / size);
  for (size_t i = 0; i < keys.size(); i += size) keys_.insert(keys.data() + i);
  states_ = RecordBuffer(record);
  states_.append({states.data(), record, states.size() / record});
}

}  // namespace penumbra::pomcgs
