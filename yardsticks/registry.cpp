#include "yardsticks/registry.h"

#include "penumbra/base/error.h"
#include "yardsticks/inspection_expert.h"
#include "yardsticks/laser_tag_expert.h"
#include "yardsticks/light_dark_expert.h"
#include "yardsticks/lunar_lander_expert.h"
#include "yardsticks/pocman_expert.h"
#include "yardsticks/rock_sample_expert.h"
#include "yardsticks/rover_expert.h"
#include "yardsticks/sub_hunt_expert.h"
#include "yardsticks/vdp_tag_expert.h"

namespace penumbra {

std::unique_ptr<Policy> yardstick(const std::string& spec, const Pomdp& model) {
  if (spec != "expert") return nullptr;
  if (auto policy = rock_sample_expert(model)) return policy;
  if (auto policy = light_dark_expert(model)) return policy;
  if (const auto* rover = dynamic_cast<const Adapted<Rover>*>(&model))
    return std::make_unique<RoverExpert>(rover->model());
  if (const auto* laser_tag = dynamic_cast<const Adapted<LaserTag>*>(&model))
    return std::make_unique<LaserTagExpert>(laser_tag->model());
  if (const auto* sub_hunt = dynamic_cast<const Adapted<SubHunt>*>(&model))
    return std::make_unique<SubHuntExpert>(sub_hunt->model());
  if (const auto* pocman = dynamic_cast<const Adapted<PocMan>*>(&model))
    return std::make_unique<PocManExpert>(pocman->model());
  if (const auto* inspection = dynamic_cast<const Adapted<Inspection>*>(&model))
    return std::make_unique<InspectionExpert>(inspection->model());
  if (const auto* vdp_tag = dynamic_cast<const Adapted<VdpTag>*>(&model))
    return std::make_unique<VdpTagExpert>(vdp_tag->model());
  if (const auto* lander = dynamic_cast<const Adapted<LunarLander>*>(&model))
    return std::make_unique<LunarLanderExpert>(lander->model());
  throw Error(
      "there is an expert policy for rock-sample, light-dark, rover, inspection, laser-tag, "
      "sub-hunt and pocman, and for vdp-tag and lunar-lander with continuous actions, not for " +
      model.facts().name);
}

}  // namespace penumbra
