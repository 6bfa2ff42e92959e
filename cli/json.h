// Results for programs: one object, one line, on stdout.
#pragma once

#include <fmt/format.h>

#include "penumbra/runs/json.h"

namespace penumbra::cli {

// Numbers that are not finite become null.
inline void print_json(const Json& object) {
  fmt::print("{}\n", object.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace penumbra::cli
