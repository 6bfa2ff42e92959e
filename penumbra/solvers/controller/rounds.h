// The run that nvi and mcvi share: improvement of a controller by verified backups. A round makes
// several proposals at once (proposal.h): each follows the controller to a belief, explores from
// there towards a goal, and backs up the beliefs of that excursion in reverse order
// (verified_backup.h). Those that beat the controller in a paired comparison are taken over one by
// one (growing_controller.h). Candidates propose successors (candidates.h); simulation alone
// decides.
//
// Needs finite observations, and finite actions or a box of them, seen through an ActionStock: the
// rounds then add actions of their own to it (action_proposals.h). With likelihoods beliefs are
// weighted, without by rejection.
#pragma once

#include "penumbra/solvers/controller/candidates.h"
#include "penumbra/solvers/controller/options.h"
#include "penumbra/solvers/first_plan.h"
#include "penumbra/solvers/solver.h"

namespace penumbra::controller {

// `name` of the solver: its random streams. `make_plan` may be empty: then it begins with blind
// policies.
Solution improve_in_rounds(const Pomdp& model, const RoundsOptions& options,
                           const std::string& name, const MakeCandidates& make_candidates,
                           const MakeFirstPlan& make_plan, const Limits& limits, uint64_t seed,
                           ThreadPool& pool, const Solver::Report& report);

}  // namespace penumbra::controller
