// The states that the search has met, each stored once. States whose coordinates differ by rounding
// alone are one.
#pragma once

#include <memory>
#include <vector>

#include "penumbra/bounds/mdp_value.h"
#include "penumbra/model/record_set.h"
#include "penumbra/solvers/pomcgs/blind.h"

namespace penumbra::pomcgs {

class Cells {
 public:
  Cells(const Pomdp& model, const MdpValue& mdp, const BlindPolicies& blind, RngKey key,
        ThreadPool& pool);

  // The cell of every state. The first state in a cell stands for it.
  void insert(ConstRecords states, std::span<int32_t> out, ThreadPool& pool);

  int count() const { return static_cast<int>(mdp_.size()); }
  ConstRecords state(int cell) const { return states_.sub(cell, 1); }
  float mdp(int cell) const { return mdp_[cell]; }
  float blind(int cell, int k) const { return blind_[size_t(cell) * policies_.size() + k]; }
  double bytes() const;

  template <class Archive>
  void archive(Archive& a) {
    std::vector<std::byte> keys, states;
    if constexpr (!Archive::kLoading) {
      keys = raw(keys_.records());
      states = raw(states_);
    }
    a(keys, states, mdp_, blind_);
    if constexpr (Archive::kLoading) restore(keys, states);
  }

 private:
  static std::vector<std::byte> raw(ConstRecords r) { return {r.data, r.data + r.size * r.count}; }
  void restore(std::span<const std::byte> keys, std::span<const std::byte> states);
  RecordBuffer keys_of(ConstRecords states) const;
  void value_new(int from, ThreadPool& pool);

  const Pomdp& model_;
  const MdpValue& values_;
  const BlindPolicies& policies_;
  std::vector<double> width_;  // of a cell, per coordinate; empty: records are compared as they are
  RecordSet keys_;
  RecordBuffer states_;
  std::vector<float> mdp_, blind_;
};

}  // namespace penumbra::pomcgs
