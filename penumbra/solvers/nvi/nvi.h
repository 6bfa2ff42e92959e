// Neural Value Iteration (You, Cakir, Schutz, Hawes): value iteration over a finite network
// controller, whose nodes keep their alpha-vectors as networks.
//
// A round makes several proposals at once (proposal.h): each follows the controller to a belief,
// explores from there towards a goal, and backs up the beliefs of that excursion in reverse order
// (verified_backup.h). Those that beat the controller in a paired comparison are taken over one by
// one: the new nodes are appended, and the way from the start to them is copied with one edge
// changed at each node, so that no other history is touched. Networks and births (library.h)
// propose successors; simulation alone decides.
//
// Needs finite actions and observations and features. With likelihoods beliefs are weighted,
// without by rejection. The paper's own algorithm is `preset=paper` (paper_loop.h).
#pragma once

#include "penumbra/solvers/nvi/options.h"
#include "penumbra/solvers/solver.h"

namespace penumbra::nvi {

class NviSolver final : public Solver {
 public:
  OptionList options() override { return list_options(options_); }
  Capabilities needs() const override {
    return Capability::kFiniteActions | Capability::kFiniteObservations | Capability::kFeatures;
  }
  Solution solve(const Pomdp& model, const Limits& limits, uint64_t seed, ThreadPool& pool,
                 const Report& report) override;

 private:
  NviOptions options_;
};

}  // namespace penumbra::nvi
