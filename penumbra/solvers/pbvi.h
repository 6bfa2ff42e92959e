// PBVI (Pineau, Gordon, Thrun, IJCAI 2003): a growing set of beliefs, all backed up in turn. From
// every belief one step is simulated per action, and the successor that is farthest from the set
// joins it. The upper bound is the fast informed one, backed up at the same beliefs.
#pragma once

#include "penumbra/solvers/solver.h"

namespace penumbra {

struct PbviOptions {
  int rounds = 10;  // of backups of the whole set between growths
  void list(OptionList& l) { l.add("rounds", rounds, 1, 1000, "of backups between growths"); }
};

class PbviSolver final : public Solver {
 public:
  OptionList options() override { return list_options(options_); }
  Capabilities needs() const override;
  Solution solve(const Pomdp& model, const Limits& limits, uint64_t seed, ThreadPool& pool,
                 const Report& report) override;

 private:
  PbviOptions options_;
};

}  // namespace penumbra
