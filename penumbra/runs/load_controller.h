// The controller of a policy file of any format, ready to be exported or looked at.
#pragma once

#include <memory>
#include <string>

#include "penumbra/io/policy_file.h"
#include "penumbra/runs/common_options.h"

namespace penumbra {

struct LoadedController {
  PolicyFile policy;   // with a controller
  std::string source;  // where the controller comes from, for people
};

// `model` may be empty where the file names one that can be loaded. Alpha-vectors are followed to
// at most `max_nodes` beliefs. A recurrent network comes as it is. Throws Error for a file that is
// not there or holds neither.
LoadedController load_controller(const std::string& path, const std::string& model,
                                 uint64_t max_nodes, const CommonOptions& common);

}  // namespace penumbra
