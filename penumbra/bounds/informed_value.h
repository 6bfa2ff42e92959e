// The fast informed bound of an explicit model as values of states: one vector per action, and a
// belief is worth at most the largest of their means. Below V_mdp: it counts that one observation
// is not the whole truth.
#pragma once

#include "penumbra/bounds/mdp_value.h"

namespace penumbra {

class InformedValue final : public MdpValue {
 public:
  // Throws Error unless the model has a table of at most `max_states` states. Keeps a reference.
  InformedValue(const Pomdp& model, int max_states, const Stop& stop = {});

  // The largest vector's.
  void value(ConstRecords state, std::span<double> out) const override;
  int num_vectors() const override { return model_.facts().num_actions; }
  void vectors(ConstRecords state, std::span<double> out) const override;
  bool proven() const override { return true; }
  std::string source() const override { return "fib"; }

 private:
  const Pomdp& model_;
  std::vector<double> values_;  // row-major [state][action]; 0 where an episode has ended
};

}  // namespace penumbra
