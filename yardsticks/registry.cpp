#include "yardsticks/registry.h"

#include "penumbra/base/error.h"
#include "yardsticks/light_dark_expert.h"
#include "yardsticks/rock_sample_expert.h"
#include "yardsticks/rover_expert.h"

namespace penumbra {

std::unique_ptr<Policy> yardstick(const std::string& spec, const Pomdp& model) {
  if (spec != "expert") return nullptr;
  if (const auto* rock_sample = dynamic_cast<const Adapted<RockSample>*>(&model))
    return std::make_unique<RockSampleExpert>(rock_sample->model());
  if (auto policy = light_dark_expert(model)) return policy;
  if (const auto* rover = dynamic_cast<const Adapted<Rover>*>(&model))
    return std::make_unique<RoverExpert>(rover->model());
  throw Error("there is an expert policy for rock-sample, light-dark and rover, not for " +
              model.facts().name);
}

}  // namespace penumbra
