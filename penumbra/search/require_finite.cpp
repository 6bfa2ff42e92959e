#include "penumbra/search/require_finite.h"

#include <fmt/format.h>

#include "penumbra/base/error.h"

namespace penumbra::search {

void require_finite(const Pomdp& model, const std::string& who) {
  auto refuse = [&](const char* what, const char* besides) {
    throw Error(fmt::format("{} needs finite {}, {} has continuous ones; take pomcpow or pft-dpw{}",
                            who, what, model.facts().name, besides));
  };
  if (!model.has(Capability::kFiniteActions)) refuse("actions", "");
  if (!model.has(Capability::kFiniteObservations))
    refuse("observations", ", or group them with clusters=K");
}

}  // namespace penumbra::search
