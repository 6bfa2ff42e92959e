#include "penumbra/model/facts.h"

#include <fmt/format.h>

namespace penumbra {

std::string Facts::action_name(int action) const {
  return action_names.empty() ? fmt::format("a{}", action) : action_names.at(action);
}
std::string Facts::observation_name(int seen) const {
  return observation_names.empty() ? fmt::format("o{}", seen) : observation_names.at(seen);
}

std::string describe(Capabilities capabilities) {
  static constexpr struct {
    Capability capability;
    const char* words;
  } kWords[] = {
      {Capability::kFiniteActions, "finite actions"},
      {Capability::kFiniteObservations, "finite observations"},
      {Capability::kFeatures, "features"},
      {Capability::kLikelihood, "a likelihood"},
      {Capability::kCumulative, "a cumulative distribution of observations"},
      {Capability::kMdpValue, "an MDP value"},
      {Capability::kTable, "an explicit table"},
      {Capability::kPerturb, "a perturbation"},
      {Capability::kDrawing, "a drawing"},
      {Capability::kCoordinates, "coordinates"},
      {Capability::kScene, "a scene"},
  };
  std::string text;
  for (const auto& entry : kWords) {
    if (!capabilities.has(entry.capability)) continue;
    if (!text.empty()) text += ", ";
    text += entry.words;
  }
  return text;
}

}  // namespace penumbra
