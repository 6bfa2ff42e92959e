// Records for programs: objects whose fields stay in the order written.
#pragma once

#include <nlohmann/json.hpp>

namespace penumbra {

using Json = nlohmann::ordered_json;

}  // namespace penumbra
