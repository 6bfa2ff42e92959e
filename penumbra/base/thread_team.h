// Threads that pose as ranks, for tests and debugging.
#pragma once

#include <functional>

#include "penumbra/base/team.h"

namespace penumbra {

// Calls body(team) in each of `size` ranks and gives what each of them threw; null: nothing. A body
// that throws fails its team.
std::vector<std::exception_ptr> run_as_team(int size, const std::function<void(Team&)>& body);

}  // namespace penumbra
