// Hand-made policies of single domains, by name: `expert`. registry.cpp lists the domains.
#pragma once

#include <memory>
#include <string>

#include "penumbra/policy/policy.h"

namespace penumbra {

// nullptr when `spec` names no yardstick; throws Error when it names one of another domain.
std::unique_ptr<Policy> yardstick(const std::string& spec, const Pomdp& model);

}  // namespace penumbra
