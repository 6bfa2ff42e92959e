// Errors about models that break their promises: each names the model, and where it can the action
// and the state.
#pragma once

#include <string>

#include "penumbra/model/pomdp.h"

namespace penumbra {

// "action listen in state tiger on the left"; without a state, or without an action, the rest.
std::string place_of(const Pomdp& model, const std::byte* action, const std::byte* state);

// Throws Error: "tiger: what, action listen in state ...".
[[noreturn]] void throw_unsound(const Pomdp& model, const std::string& what,
                                const std::byte* action, const std::byte* state);
[[noreturn]] void throw_bad_reward(const Pomdp& model, double reward, const std::byte* action,
                                   const std::byte* state);

// Within a handler: throws what was caught as an Error that says which function of the model threw
// it, and where. Out of memory and broken invariants pass as they are.
[[noreturn]] void rethrow_named(const Pomdp& model, const char* function, const std::byte* action,
                                const std::byte* state);

}  // namespace penumbra
