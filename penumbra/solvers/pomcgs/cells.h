// The states that the search has met, each stored once. With a grid all states of a cell are one;
// the cell keeps the first few that came as its representatives, from which it is simulated.
#pragma once

#include <memory>
#include <vector>

#include "penumbra/bounds/mdp_value.h"
#include "penumbra/solvers/nvi/record_set.h"
#include "penumbra/solvers/pomcgs/blind.h"
#include "penumbra/solvers/pomcgs/options.h"

namespace penumbra::pomcgs {

class Cells {
 public:
  Cells(const Pomdp& model, const MdpValue& mdp, const BlindPolicies& blind,
        const PomcgsOptions& options, RngKey key, ThreadPool& pool);

  // The cell of every state. A cell that is new takes its representatives from this call alone,
  // so that what is known of a cell never changes.
  void insert(ConstRecords states, std::span<int32_t> out, ThreadPool& pool);

  int count() const { return static_cast<int>(mdp_.size()); }
  ConstRecords representatives(int cell) const {
    return states_.sub(first_[cell], first_[cell + 1] - first_[cell]);
  }
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
    a(keys, states, first_, mdp_, blind_);
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
  size_t most_;                // representatives of a cell
  std::vector<double> width_;  // of a cell, per coordinate; empty: records are compared as they are
  nvi::RecordSet keys_;
  RecordBuffer states_;             // representatives, cell by cell
  std::vector<uint64_t> first_{0};  // of each cell in states_, and the end
  std::vector<float> mdp_, blind_;  // means over the representatives
};

}  // namespace penumbra::pomcgs
