// b . alpha by networks: the value of a node at a belief is the mean of its network there.
#pragma once

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

}  // namespace penumbra::nvi
