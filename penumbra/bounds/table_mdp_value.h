// V_mdp by value iteration on the explicit table. Iterates V start at 0, from where sparse rewards
// spread fastest, and stop anywhere: with c the largest T V - V over the states that go on,
// V + c / (1 - discount) is not below its own backup, hence not below the optimum. So `stop`
// (base/stop.h: asked from several threads at once) leaves a looser bound that is proven too.
#pragma once

#include <vector>

#include "penumbra/bounds/mdp_value.h"

namespace penumbra {

// One value per state of the table, each at least the optimum and within about `tolerance` of it.
std::vector<double> table_values(const Tabular& table, double tolerance, ThreadPool& pool,
                                 const Stop& stop = {});

// Throws Error unless the model has a table of at most `max_states` states.
Tabular checked_table(const Pomdp& model, int max_states, const std::string& source);

class TableMdpValue final : public MdpValue {
 public:
  // Throws Error unless the model has a table of at most `max_states` states. Keeps a reference.
  TableMdpValue(const Pomdp& model, int max_states, ThreadPool& pool, const Stop& stop = {});
  // With the model's table at hand.
  TableMdpValue(const Pomdp& model, const Tabular& table, ThreadPool& pool, const Stop& stop = {});

  void value(ConstRecords state, std::span<double> out) const override;
  bool proven() const override { return true; }
  std::string source() const override { return "table"; }
  std::optional<double> start_value() const override { return start_value_; }
  std::span<const double> values() const { return values_; }

 private:
  const Pomdp& model_;
  std::vector<double> values_;
  double start_value_ = 0;
};

}  // namespace penumbra
