#include "cli/version.h"

namespace penumbra::cli {

std::string program_version() {
  const std::string version = "penumbra " PENUMBRA_VERSION, build = build_identity();
  return build.empty() ? version : version + " (" + build + ")";
}

}  // namespace penumbra::cli
