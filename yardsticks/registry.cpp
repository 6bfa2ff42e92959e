#include "yardsticks/registry.h"

#include "penumbra/base/error.h"
#include "yardsticks/rock_sample_expert.h"

namespace penumbra {

std::unique_ptr<Policy> yardstick(const std::string& spec, const Pomdp& model) {
  if (spec != "expert") return nullptr;
  const auto* rock_sample = dynamic_cast<const Adapted<RockSample>*>(&model);
  if (!rock_sample) throw Error("the expert policy is for rock-sample, not " + model.facts().name);
  return std::make_unique<RockSampleExpert>(rock_sample->model());
}

}  // namespace penumbra
