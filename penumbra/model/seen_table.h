// The table of a model as its agent sees it. A table may declare parts of a state visible that the
// simulator of a domain does not show (the agent could work them out): to a policy that runs on
// the simulator they are not observations.
#pragma once

#include <memory>
#include <optional>

#include "penumbra/model/mixed_model.h"
#include "penumbra/model/pomdp.h"

namespace penumbra {

// Throws Error where the table has neither the simulator's observations nor pairs of visible part
// and observation.
Tabular seen_table(const Pomdp& model);

// The same to look at: no copy where the model keeps its table as its agent sees it. The model
// outlives it.
class SeenTable {
 public:
  explicit SeenTable(const Pomdp& model);
  SeenTable(const SeenTable&) = delete;
  SeenTable& operator=(const SeenTable&) = delete;
  const Tabular& operator*() const { return *table_; }

 private:
  std::optional<Tabular> own_;
  const Tabular* table_;
};

// The table as solvers and policies work on it. Throws Error also for rows that are no
// distributions.
std::shared_ptr<const MixedModel> mixed_model(const Pomdp& model);

}  // namespace penumbra
