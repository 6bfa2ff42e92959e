// Policies without a file, by name: `blind(action=east)`, `random`.
#pragma once

#include <memory>
#include <string>

#include "penumbra/policy/policy.h"

namespace penumbra {

// Throws Error naming the policies there are.
std::unique_ptr<Policy> named_policy(const std::string& spec, const Pomdp& model);

// An action by name or number.
int find_action(const Facts& facts, const std::string& text);

}  // namespace penumbra
