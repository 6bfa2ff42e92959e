// A controller as one C header: tables and a handful of functions, C99 and C++, no allocation, no
// library beyond <stdint.h>. With the prefix `tiger` it offers
//
//   int tiger_start(void);                        the first state
//   int tiger_act(int state);                     what to do there
//   int tiger_observe(int state, int observation);  the next state
//   int tiger_discretise(const float* seen);      of clustered observations: which one it is
//   const char* tiger_action_name(int action);    and tiger_observation_name(int)
//   TIGER_NUM_STATES, TIGER_NUM_ACTIONS, TIGER_NUM_OBSERVATIONS, TIGER_SEEN_DIMENSION
//
// and with its networks what io/export_c_network.h says.
#pragma once

#include <string>

#include "penumbra/io/policy_file.h"

namespace penumbra {

// The text of the header. The policy must have a controller; with `networks` it must be one that
// has them. The prefix is a C identifier (io/c_text.h).
std::string c_header(const PolicyFile& policy, const std::string& prefix, bool networks = false);

}  // namespace penumbra
