// A recurrent network as one C header, C99 and C++, no allocation; it needs expf and exp of
// <math.h>. With the prefix `tiger` it offers
//
//   struct tiger_state                            what the policy remembers
//   void tiger_start(tiger_state*);               before the first action
//   int tiger_act(tiger_state*, double u);        what to do; u: a random number from 0 to 1
//   void tiger_observe(tiger_state*, int action, int observation);   what came of it
//   void tiger_step(tiger_state*, float* logits); what tiger_act does first: one step of the
//   network int tiger_best(const float* logits);          the likeliest action int tiger_draw(const
//   float* logits, double u);   one drawn by its chance tiger_discretise, tiger_action_name,
//   TIGER_NUM_ACTIONS and the like as io/export_c.h
//
// The formulas are those of io/export_recurrent.h.
#pragma once

#include <string>

#include "penumbra/io/policy_file.h"

namespace penumbra {

// The policy must be a network over finite actions and observations.
std::string recurrent_c_header(const PolicyFile& policy, const std::string& prefix);

}  // namespace penumbra
