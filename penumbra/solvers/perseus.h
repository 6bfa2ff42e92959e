// Perseus (Spaan, Vlassis, JAIR 2005): a fixed set of beliefs from random walks; each stage backs
// up randomly chosen ones until every belief of the set has risen or kept its value.
#pragma once

#include "penumbra/solvers/solver.h"

namespace penumbra {

struct PerseusOptions {
  int beliefs = 1000;  // of the set
  void list(OptionList& l) { l.add("beliefs", beliefs, 1, 10'000'000, "from random walks"); }
};

class PerseusSolver final : public Solver {
 public:
  OptionList options() override { return list_options(options_); }
  Capabilities needs() const override;
  Solution solve(const Pomdp& model, const Limits& limits, uint64_t seed, ThreadPool& pool,
                 const Report& report) override;

 private:
  PerseusOptions options_;
};

}  // namespace penumbra
