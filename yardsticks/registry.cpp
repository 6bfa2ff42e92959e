#include "yardsticks/registry.h"

#include "penumbra/base/error.h"
#include "yardsticks/light_dark_expert.h"
#include "yardsticks/rock_sample_expert.h"

namespace penumbra {

std::unique_ptr<Policy> yardstick(const std::string& spec, const Pomdp& model) {
  if (spec != "expert") return nullptr;
  if (const auto* rock_sample = dynamic_cast<const Adapted<RockSample>*>(&model))
    return std::make_unique<RockSampleExpert>(rock_sample->model());
  if (auto policy = light_dark_expert(model)) return policy;
  throw Error("there is an expert policy for rock-sample and light-dark, not for " +
              model.facts().name);
}

}  // namespace penumbra
