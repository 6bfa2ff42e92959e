// How JSON files of policies tell observations that were made finite (see io/export_json.h).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "penumbra/io/policy_file.h"

namespace penumbra {

// Null where observations are finite by themselves.
nlohmann::ordered_json discretiser_json(const PolicyFile& policy);

}  // namespace penumbra
