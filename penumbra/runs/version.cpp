#include "penumbra/runs/version.h"

namespace penumbra {

std::string program_version() {
  const std::string version = "penumbra " PENUMBRA_VERSION, build = build_identity();
  return build.empty() ? version : version + " (" + build + ")";
}

}  // namespace penumbra
