// The run that nvi and mcvi share. A round makes several proposals at once (proposal.h): each
// follows the controller to a belief, explores from there towards a goal, and backs up the beliefs
// of that excursion in reverse order (verified_backup.h). Those that beat the controller in a
// paired comparison are taken over one by one: the new nodes are appended, and the way from the
// start to them is copied with one edge changed at each node, so that no other history is touched.
// Candidates propose successors (candidates.h); simulation alone decides.
//
// Needs finite actions and observations. With likelihoods beliefs are weighted, without by
// rejection.
#pragma once

#include "penumbra/solvers/nvi/candidates.h"
#include "penumbra/solvers/nvi/options.h"
#include "penumbra/solvers/solver.h"

namespace penumbra::nvi {

// `name` of the solver: its random streams.
Solution improve_in_rounds(const Pomdp& model, const NviOptions& options, const std::string& name,
                           const MakeCandidates& make_candidates, const Limits& limits,
                           uint64_t seed, ThreadPool& pool, const Solver::Report& report);

}  // namespace penumbra::nvi
